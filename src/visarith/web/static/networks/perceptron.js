// The paper's learner: a fully connected network from the pixels of the inputs to the pixels of the answer.

import { ACTIVATIONS, joined, linear, sigmoid } from "./layers.js";
import { numbers, rows } from "./tensors.js";

export class Perceptron {
  constructor(stored) {
    this.weights = stored.layers.map((layer) => rows(layer.weight));
    this.layers = stored.layers.map(linear);
    this.isSigmoid = stored.activation === "sigmoid";
    this.activation = ACTIVATIONS[stored.activation];
    this.mean = stored.mean && numbers(stored.mean);
    this.outputs = stored.outputs;
  }

  /** Pictures in, pictures out, each a row of pixels. */
  draw(pictures) {
    const hidden = this.hidden(pictures);
    const answer = this.layers[this.layers.length - 1](hidden[hidden.length - 1]).map(sigmoid);
    const size = answer.length / this.outputs;
    return Array.from({ length: this.outputs }, (_, i) => answer.slice(i * size, (i + 1) * size));
  }

  /** What each hidden layer says, from bottom to top. */
  hidden(pictures) {
    const pixels = joined(...pictures);
    let values = this.mean ? pixels.map((value, i) => value - this.mean[i]) : pixels;
    return this.layers.slice(0, -1).map((layer) => {
      values = layer(values).map(this.activation);
      return values;
    });
  }
}
