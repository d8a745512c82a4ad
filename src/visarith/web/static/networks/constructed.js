// A network that has nothing to learn: its weights were set by hand, from the pictures of the symbols.

import { sigmoid } from "./layers.js";
import { put, taken } from "./page.js";
import { numbers, rows } from "./tensors.js";

export class Constructed {
  constructor(stored, places, answerPlaces, pixels) {
    Object.assign(this, { places, answerPlaces, pixels });
    this.templates = rows(stored.templates);
    this.offsets = numbers(stored.offsets);
    this.glyphs = rows(stored.glyphs);
    this.steepness = stored.steepness; // of sigmoids; null where a gate is two ReLUs
    this.reads = stored.reads;
    this.layers = stored.layers.map((layer) => ({
      sums: new Sums(layer.sums),
      which: numbers(layer.which),
      thresholds: numbers(layer.thresholds),
    }));
    this.draws = new Sums(stored.draws);
  }

  draw(pictures) {
    const signals = this.signals(pictures);
    const shares = this.draws.of(signals[signals.length - 1]);
    const answer = new Float64Array(this.pixels);
    this.answerPlaces.forEach((where, cell) => {
      const own = shares.subarray(cell * this.glyphs.length, (cell + 1) * this.glyphs.length);
      const ink = new Float64Array(where.length);
      own.forEach((share, symbol) => {
        if (share !== 0) this.glyphs[symbol].forEach((value, i) => (ink[i] += share * value));
      });
      put(answer, where, ink.map((value) => Math.min(Math.max(value, 0), 1)));
    });
    return [answer];
  }

  /** What each hidden layer says, from the templates on. */
  signals(pictures) {
    const said = [];
    for (const picture of pictures)
      for (const where of this.places) {
        const pixels = taken(picture, where);
        this.templates.forEach((template, symbol) =>
          said.push(template.reduce((sum, weight, i) => sum + weight * pixels[i], this.offsets[symbol])),
        );
      }
    const signals = [Float64Array.from(said, (value) => (this.reads ? this.gate(value - 0.5) : value))];
    for (const { sums, which, thresholds } of this.layers) {
      const summed = sums.of(signals[signals.length - 1]);
      signals.push(Float64Array.from(which, (number, gate) => this.gate(summed[number] - thresholds[gate])));
    }
    return signals;
  }

  /** 1 where a sum is above its threshold and 0 below, in two ReLUs or one steep sigmoid. */
  gate(above) {
    if (this.steepness) return sigmoid(this.steepness * above);
    return Math.max(2 * above + 0.5, 0) - Math.max(2 * above - 0.5, 0);
  }
}

/** Sums of the signals below: the weights that are not 0, and constants. */
class Sums {
  constructor(stored) {
    [this.rows, this.columns, this.values, this.constants] = ["rows", "columns", "values", "constants"].map((name) =>
      numbers(stored[name]),
    );
    this.count = this.constants.length;
  }

  of(signals) {
    const sums = Float64Array.from(this.constants);
    for (let i = 0; i < this.values.length; i++) sums[this.rows[i]] += this.values[i] * signals[this.columns[i]];
    return sums;
  }
}
