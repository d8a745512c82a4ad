// Linear layers in training: many rows at once, forward and backward.

import { addProduct, transpose } from "./matrix.js";

/** Trained numbers, their gradient, and what Adam remembers of it. */
export class Weights {
  constructor(count) {
    this.values = new Float64Array(count);
    this.gradient = new Float64Array(count);
    this.mean = new Float64Array(count);
    this.square = new Float64Array(count);
  }
}

export class Linear {
  /** `times`: how often each unit counts, if one is computed for several that are equal. */
  constructor(inputs, units, times = null) {
    Object.assign(this, { inputs, units, times });
    this.weight = new Weights(units * inputs); // (units × inputs), as PyTorch stores them
    this.bias = new Weights(units);
    this.turned = new Float64Array(units * inputs); // the weights transposed, for the way back
  }

  /** Draw the weights: "he" or "zero". Biases start at 0. */
  draw(kind, dice) {
    const deviation = kind === "he" ? Math.sqrt(2 / this.inputs) : 0;
    this.weight.values.forEach((_, i, all) => (all[i] = deviation && deviation * dice.normal()));
    this.bias.values.fill(0);
    this.changed();
  }

  /** To be called when the weights have changed. */
  changed() {
    transpose(this.weight.values, this.turned, this.units, this.inputs);
    if (this.times) this.turned.forEach((value, i, all) => (all[i] = value * this.times[i % this.units]));
  }
}

/** Linear layers with ReLUs between them. It keeps the values of all its rows, and their gradients. */
export class Sequence {
  constructor(...sizes) {
    this.layers = sizes.slice(1).map((units, i) => new Linear(sizes[i], units));
    this.room = 0;
  }

  get last() {
    return this.layers[this.layers.length - 1];
  }

  /** Make room for so many rows; `beside` is a sequence with the same inputs, which are then stored once. */
  reserve(rows, beside = null) {
    this.room = rows;
    const sizes = [this.layers[0].inputs, ...this.layers.map((layer) => layer.units)];
    this.values = sizes.map((size) => new Float64Array(rows * size));
    this.slopes = sizes.map((size) => new Float64Array(rows * size));
    if (beside) [this.values[0], this.slopes[0]] = [beside.values[0], beside.slopes[0]];
  }

  get inputs() {
    return this.values[0];
  }

  get outputs() {
    return this.values[this.layers.length];
  }

  /** Compute the outputs of these rows. */
  forward(first, rows) {
    this.layers.forEach(({ weight, bias, inputs, units }, i) => {
      const below = part(this.values[i], first, rows, inputs);
      const above = part(this.values[i + 1], first, rows, units);
      for (let at = 0; at < above.length; at += units) above.set(bias.values, at);
      addProduct(below, weight.values, above, rows, units, inputs);
      if (i + 1 < this.layers.length) for (let at = 0; at < above.length; at++) if (above[at] < 0) above[at] = 0;
    });
  }

  /** From the gradients of the outputs of these rows to those of hidden units, and add to those of the inputs. */
  backward(first, rows, toInputs = true) {
    for (let i = this.layers.length - 1; i >= (toInputs ? 0 : 1); i--) {
      const { turned, inputs, units } = this.layers[i];
      const above = part(this.slopes[i + 1], first, rows, units);
      const below = part(this.slopes[i], first, rows, inputs);
      if (i) below.fill(0);
      addProduct(above, turned, below, rows, inputs, units);
      const values = i && part(this.values[i], first, rows, inputs);
      if (i) for (let at = 0; at < below.length; at++) if (values[at] <= 0) below[at] = 0;
    }
  }

  /** Add the gradients of the weights, over the first rows. */
  gather(rows) {
    this.layers.forEach(({ weight, bias, inputs, units }, i) => {
      const above = scratch(0, rows * units);
      const below = scratch(1, rows * inputs);
      transpose(this.slopes[i + 1], above, rows, units);
      transpose(this.values[i], below, rows, inputs);
      addProduct(above, below, weight.gradient, units, inputs, rows);
      for (let unit = 0, at = 0; unit < units; unit++) {
        let sum = 0;
        for (let row = 0; row < rows; row++) sum += above[at++];
        bias.gradient[unit] += sum;
      }
    });
  }
}

function part(values, first, rows, size) {
  return values.subarray(first * size, (first + rows) * size);
}

const spaces = [new Float64Array(0), new Float64Array(0)];

/** Space for a transposed matrix, used again and again. */
function scratch(which, length) {
  if (spaces[which].length < length) spaces[which] = new Float64Array(length);
  return spaces[which];
}
