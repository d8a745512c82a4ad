// Training, a step at a time, each in pieces that are short enough for the page to answer in between.

import { Adam, cosine } from "./adam.js";
import { ColumnLearner } from "./learner.js";

const PIECE = 8; // examples at a time

/** Learns from pictures of examples: it is given no digit. `random` draws the start weights and the jitter. */
export class Trainer {
  constructor(places, { rate, jitter, steps }, random) {
    Object.assign(this, { places, rate, jitter, steps, random });
    this.learner = new ColumnLearner(places[0].length);
    this.adam = new Adam();
    this.loss = NaN; // of the last step
  }

  get done() {
    return this.adam.steps;
  }

  /** Draw the start weights, for pictures of some answers. */
  start(answers) {
    this.learner.start(this.random, answers.flatMap((picture) => this.learner.drawn.codes(picture, this.places)));
  }

  /** One step on these examples: pictures of two numbers, and of the answer. Yields between pieces. */
  *step(examples, noise = this.jittered()) {
    const { learner, places } = this;
    const columns = places.length;
    const read = (which) => examples.flatMap(({ shown }) => learner.shown.codes(shown[which], places));
    const [left, right] = [read(0), read(1)];
    const answers = examples.flatMap(({ answer }) => learner.drawn.codes(answer, places));
    learner.group();
    let loss = 0;
    for (let from = 0; from < examples.length; from += PIECE) {
      const count = Math.min(PIECE, examples.length - from);
      const [a, b, c] = [left, right, answers].map((codes) => codes.slice(from * columns, (from + count) * columns));
      learner.scan(a, b, count, columns, noise && ((step, example, i) => noise(step, from + example, i)));
      loss += learner.learn(a, b, c, count, columns, examples.length);
      yield;
    }
    learner.separate();
    this.adam.step(learner.weights, cosine(this.rate, this.adam.steps / this.steps));
    learner.changed();
    this.loss = loss;
  }

  /** Noise on columns, so that columns that mean different things come to lie apart. */
  jittered() {
    const { jitter, random } = this;
    return jitter ? () => jitter * random.normal() : null;
  }
}
