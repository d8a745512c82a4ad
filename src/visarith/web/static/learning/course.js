// A course of training: fresh examples for every step, and 1,000 sums to test it with that are never shown.

import { dice } from "./random.js";
import { name, pairs, Sums } from "./sums.js";
import { Trainer } from "./trainer.js";

// Rate and jitter of `visarith train --learner columns`; smaller batches and fewer steps, so that it can be watched.
export const RECIPE = { rate: 3e-3, jitter: 0.2, batch: 32, steps: 1000 };
export const TESTED = 1000; // fresh sums
const EVERY = 50; // steps from test to test
const FIRST = 256; // answers, of which the first drawing is the mean
const AT_A_TIME = 16; // sums of a test

export class Course {
  constructor(layout, seed, recipe = RECIPE) {
    Object.assign(this, { layout, recipe });
    this.sums = this.asked = new Sums(layout);
    this.random = dice(seed, "examples");
    this.tested = pairs(TESTED, dice(seed, "test"));
    this.held = new Set(this.tested.map(name));
    this.trainer = new Trainer(this.sums.page.places, recipe, dice(seed, "weights"));
    this.trainer.start(this.examples(FIRST).map(({ answer }) => answer));
    this.losses = []; // of each step
    this.tests = []; // the step of each test, and how many sums were wrong
  }

  examples(count) {
    return pairs(count, this.random, this.held).map((pair) => this.sums.example(pair));
  }

  get steps() {
    return this.trainer.done;
  }

  get shown() {
    return this.steps * this.recipe.batch;
  }

  get finished() {
    return this.steps >= this.recipe.steps;
  }

  /** All of it, in short pieces. Yields "part" within a step, "step" after each, and "test" in a test. */
  *work() {
    yield* this.test();
    while (!this.finished) {
      for (const _ of this.trainer.step(this.examples(this.recipe.batch))) yield "part";
      this.losses.push(this.trainer.loss);
      yield "step";
      if (this.steps % EVERY === 0) yield* this.test();
    }
  }

  /** Draw the answers to the test sums, and count those that are not read as the sum. */
  *test() {
    const { learner, places } = this.trainer;
    let wrong = 0;
    for (let from = 0; from < TESTED; from += AT_A_TIME) {
      const some = this.tested.slice(from, from + AT_A_TIME);
      const [left, right] = [0, 1].map((which) =>
        some.flatMap((pair) => learner.shown.codes(this.sums.picture(pair[which]), places)),
      );
      learner.scan(left, right, some.length, places.length);
      some.forEach(([a, b], example) => {
        const painted = (step) => learner.cell(step * some.length + example);
        if (!this.sums.isDrawn(painted, a + b)) wrong += 1;
      });
      yield "test";
    }
    this.tests.push({ steps: this.steps, wrong });
  }

  /** The answer to two numbers in digits, of any length: the ink of each cell, and of what is carried into each. */
  answer(a, b, cells) {
    const { learner } = this.trainer;
    if (this.asked.page.cells !== cells) this.asked = new Sums(this.layout, cells);
    const { places } = this.asked.page;
    const codes = (digits) => learner.shown.codes(this.asked.picture(digits), places);
    const [left, right, zeros] = [codes(a), codes(b), codes("0")];
    learner.scan(left, right, 1, cells);
    const drawn = places.map((_, cell) => learner.cell(cells - 1 - cell));
    learner.paint(learner.carriedBeside(zeros[0], cells), cells - 1);
    const carried = places.map((_, cell) => (cell + 1 < cells ? learner.cell(cells - 2 - cell) : null));
    return { drawn, carried, read: this.asked.read(drawn), sums: this.asked };
  }
}
