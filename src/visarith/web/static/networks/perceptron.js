// The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer.

import { joined, sequence, sigmoid } from "./layers.js";
import { numbers } from "./tensors.js";

export class Perceptron {
  constructor(stored) {
    this.layers = sequence(stored.layers, stored.activation);
    this.mean = stored.mean && numbers(stored.mean);
    this.outputs = stored.outputs;
  }

  /** Pictures in, pictures out, each a row of pixels. */
  draw(pictures) {
    const pixels = joined(...pictures);
    const centred = this.mean ? pixels.map((value, i) => value - this.mean[i]) : pixels;
    const answer = this.layers(centred).map(sigmoid);
    const size = answer.length / this.outputs;
    return Array.from({ length: this.outputs }, (_, i) => answer.slice(i * size, (i + 1) * size));
  }
}
