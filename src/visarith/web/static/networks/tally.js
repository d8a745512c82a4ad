// Count the symbols, calculate with the counts, and write as many of each.

import { Columns } from "./columns.js";
import { put } from "./page.js";
import { Perception } from "./perception.js";
import { rows } from "./tensors.js";

const MOST = 9; // strokes a tally has room for

export class Tally {
  constructor(stored, places, pixels, width) {
    Object.assign(this, { places, pixels });
    this.centres = rows(stored.centres); // in the order in which pictures show them, the last filling what is left
    this.symbols = this.centres.length;
    this.perception = new Perception(this.centres, places, pixels, width, true); // no symbols at all are 0
    this.outputs = stored.calculator.outputs;
    const wide = this.symbols - 1 + MOST;
    const table = Array.from({ length: this.symbols - 1 }, (_, row) =>
      Int32Array.from({ length: wide }, (_, column) => row * wide + column),
    );
    this.calculator = new Columns(stored.calculator, table, wide * (this.symbols - 1), wide);
  }

  draw(pictures) {
    return this.answers(this.counts(pictures)).map((counts) => this.written(counts));
  }

  /** What is perceived in each cell of each picture. */
  perceived(pictures) {
    return pictures.map((picture) => this.perception.perceive(picture));
  }

  /** How often each symbol but the last stands in each picture. */
  counts(pictures) {
    return this.perceived(pictures).map((own) => {
      const counts = new Array(this.symbols).fill(0);
      for (const { which } of own) counts[which] += 1;
      return counts.slice(0, -1);
    });
  }

  /** Which symbol, and so many strokes. */
  strokes(counts) {
    const wide = this.symbols - 1 + MOST;
    const table = new Float64Array((this.symbols - 1) * wide);
    counts.forEach((count, symbol) => {
      table[symbol * wide + symbol] = 1;
      const first = symbol * wide + this.symbols - 1;
      table.fill(1, first, first + Math.min(count, MOST));
    });
    return table;
  }

  /** Counts of the operands to those of the answers. */
  answers(counts) {
    const wide = this.symbols - 1 + MOST;
    return this.calculator.draw(counts.map((own) => this.strokes(own))).map((answer) =>
      Array.from({ length: this.symbols - 1 }, (_, symbol) => {
        let sum = 0;
        for (let i = this.symbols - 1; i < wide; i++) sum += answer[symbol * wide + i] > 0.5 ? 1 : 0;
        return sum;
      }),
    );
  }

  /** As many of each symbol, in order, on empty ground. */
  written(counts) {
    const picture = new Float64Array(this.pixels);
    let symbol = 0;
    let end = counts[0];
    this.places.forEach((where, cell) => {
      while (symbol < this.symbols - 1 && cell >= end) end += counts[++symbol] ?? 0;
      put(picture, where, this.centres[symbol]);
    });
    return picture;
  }
}
