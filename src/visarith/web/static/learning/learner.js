// The column learner in training: cells that stand in one column are combined, and a state is carried from the right.
// It is given where cells stand, that cells at the same place form a column, and that a state goes from right to left.

import { alike, regrouped } from "./alike.js";
import { Codebook } from "./codebook.js";
import { Sequence, Weights } from "./layers.js";

const CODE = 24; // numbers that the reader makes of a cell
const SUM = 16; // numbers of a column, and of what is carried
const SEEN = 3 * SUM; // a column z is seen as z, sin 3z and cos 3z
const TURN = 3;
const DARKEST = 0.01; // the first answer is clamped where the gradient of the sigmoid would vanish

export class ColumnLearner {
  constructor(pixels, width = 64) {
    this.pixels = pixels;
    this.reader = new Sequence(pixels, width, CODE);
    this.meet = new Sequence(2 * CODE, width, SUM); // the pair network
    this.hands = new Sequence(SEEN, width, SUM); // the carry network
    this.painter = new Sequence(SEEN, width, width, pixels);
    this.begin = new Weights(SUM); // what is carried into the first column
    this.shown = new Codebook(); // cells of inputs
    this.drawn = new Codebook(); // cells of answers
    this.groupOf = Int32Array.from({ length: pixels }, (_, pixel) => pixel);
    this.targets = [];
    this.grouped = 0;
  }

  /** Draw the start weights. Nothing is carried at first, and the first answer is the mean cell of these codes. */
  start(dice, answers) {
    for (const sequence of this.sequences) for (const layer of sequence.layers) layer.draw("he", dice);
    this.hands.last.draw("zero", dice);
    this.painter.last.draw("zero", dice);
    const mean = new Float64Array(this.pixels);
    for (const code of answers) this.drawn.ink(code).forEach((ink, i) => (mean[i] += ink / answers.length));
    this.painter.last.bias.values.set(mean.map((ink) => logit(Math.min(Math.max(ink, DARKEST), 1 - DARKEST))));
  }

  get sequences() {
    return [this.reader, this.meet, this.hands, this.painter];
  }

  /** Every tensor that is trained. */
  get weights() {
    const layers = this.sequences.flatMap((sequence) => sequence.layers);
    return [this.begin, ...layers.flatMap((layer) => [layer.weight, layer.bias])];
  }

  /** To be called when the weights have changed. */
  changed() {
    for (const sequence of this.sequences) for (const layer of sequence.layers) layer.changed();
    this.table = 0;
  }

  /** Combine all pairs of the distinct cells that were shown so far. */
  combine() {
    const count = this.shown.patterns.length;
    if (this.table === count) return;
    const { reader, meet } = this;
    if (reader.room < count) {
      reader.reserve(count);
      meet.reserve(count * count);
      for (let code = 0; code < count; code++) reader.inputs.set(this.shown.ink(code), code * this.pixels);
    }
    reader.forward(0, count);
    for (let left = 0, at = 0; left < count; left++)
      for (let right = 0; right < count; right++)
        for (const code of [left, right]) {
          meet.inputs.set(reader.outputs.subarray(code * CODE, (code + 1) * CODE), at);
          at += CODE;
        }
    meet.forward(0, count * count);
    for (const slopes of [meet.slopes[0], meet.slopes[meet.layers.length]]) slopes.fill(0);
    this.table = count;
  }

  /** Take the gradients of all pairs back to the weights of the reader and the pair network. */
  separate() {
    const { reader, meet, table: count } = this;
    meet.backward(0, count * count);
    meet.gather(count * count);
    const slopes = reader.slopes[reader.layers.length].fill(0);
    for (let left = 0, at = 0; left < count; left++)
      for (let right = 0; right < count; right++)
        for (const code of [left, right])
          for (let i = 0; i < CODE; i++) slopes[code * CODE + i] += meet.slopes[0][at++];
    reader.backward(0, count, false);
    reader.gather(count);
  }

  /** Scan the columns of examples, whose codes are (count × columns), and paint the answers. Row `step * count +
   *  example` is the column so many steps from the right. `noise(step, example, i)` is added to columns in training. */
  scan(left, right, count, columns, noise = null) {
    this.combine();
    this.reserve(count * columns);
    const { hands, table } = this;
    const seen = this.painter.inputs;
    const met = this.meet.outputs;
    for (let step = 0; step < columns; step++) {
      for (let example = 0; example < count; example++) {
        const cell = example * columns + columns - 1 - step;
        const pair = (left[cell] * table + right[cell]) * SUM;
        const state = ((step - 1) * count + example) * SUM;
        const at = (step * count + example) * SEEN;
        for (let i = 0; i < SUM; i++) {
          const carried = step ? hands.outputs[state + i] : this.begin.values[i];
          see(seen, at + i, met[pair + i] + carried + (noise ? noise(step, example, i) : 0));
        }
      }
      if (step + 1 < columns) hands.forward(step * count, count);
    }
    this.painter.forward(0, count * columns);
  }

  /** Add the gradients of the squared error of these answers, divided by `batch`; returns that error. */
  learn(left, right, answers, count, columns, batch) {
    const { hands, painter, table } = this;
    const rows = count * columns;
    painter.slopes[0].fill(0, 0, rows * SEEN);
    const loss = this.compare(answers, count, columns, batch);
    painter.backward(0, rows);
    const seen = painter.inputs;
    const slopes = painter.slopes[0];
    const pull = this.meet.slopes[this.meet.layers.length];
    const back = hands.slopes[hands.layers.length];
    for (let step = columns - 1; step >= 0; step--) {
      if (step + 1 < columns) hands.backward(step * count, count);
      for (let example = 0; example < count; example++) {
        const cell = example * columns + columns - 1 - step;
        const pair = (left[cell] * table + right[cell]) * SUM;
        const state = ((step - 1) * count + example) * SUM;
        const at = (step * count + example) * SEEN;
        for (let i = 0; i < SUM; i++) {
          const sine = at + SUM + i;
          const cosine = sine + SUM;
          const slope = slopes[at + i] + TURN * (seen[cosine] * slopes[sine] - seen[sine] * slopes[cosine]);
          pull[pair + i] += slope;
          if (step) back[state + i] = slope;
          else this.begin.gradient[i] += slope;
        }
      }
    }
    painter.gather(rows);
    hands.gather(rows - count);
    return loss;
  }

  /** The squared error of what was painted, over all pixels, and its gradient in the painter. */
  compare(answers, count, columns, batch) {
    const { painter, times } = this;
    const groups = times.length;
    const logits = painter.outputs;
    const slopes = painter.slopes[painter.layers.length];
    let loss = 0;
    for (let step = 0, at = 0; step < columns; step++)
      for (let example = 0; example < count; example++) {
        const target = this.targets[answers[example * columns + columns - 1 - step]];
        for (let group = 0; group < groups; group++, at++) {
          const ink = sigmoid(logits[at]);
          const error = ink - target[group];
          loss += times[group] * error * error;
          slopes[at] = (2 * error * ink * (1 - ink)) / batch;
        }
      }
    return loss / batch;
  }

  /** Paint columns that are given as vectors (rows × SUM), without a scan. */
  paint(vectors, rows) {
    this.reserve(rows);
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < SUM; i++) see(this.painter.inputs, row * SEEN + i, vectors[row * SUM + i]);
    this.painter.forward(0, rows);
  }

  /** The ink in [0, 1] of a row that was painted. */
  cell(row) {
    const groups = this.painter.last.units;
    return Float64Array.from(this.groupOf, (group) => sigmoid(this.painter.outputs[row * groups + group]));
  }

  /** What is carried out of each column but the last, after the scan of one example, with what is summed for a pair. */
  carriedBeside(code, columns) {
    const pair = (code * this.table + code) * SUM;
    const carried = this.hands.outputs.slice(0, (columns - 1) * SUM);
    return carried.map((value, i) => value + this.meet.outputs[pair + (i % SUM)]);
  }

  /** Group the pixels of answers that are alike, once a new cell of an answer was shown. */
  group() {
    if (this.grouped === this.drawn.patterns.length) return;
    this.grouped = this.drawn.patterns.length;
    const inks = this.drawn.patterns.map((_, code) => this.drawn.ink(code));
    const { groupOf, times } = alike(this.painter.last, this.groupOf, inks);
    const layer = regrouped(this.painter.last, this.groupOf, groupOf, times);
    this.painter.layers[this.painter.layers.length - 1] = layer;
    Object.assign(this, { groupOf, times });
    this.targets = inks.map((ink) => {
      const target = new Float64Array(times.length);
      groupOf.forEach((group, pixel) => (target[group] = ink[pixel]));
      return target;
    });
    this.painter.room = 0;
  }

  reserve(rows) {
    if (this.painter.room >= rows) return;
    this.painter.reserve(rows);
    this.hands.reserve(rows, this.painter);
  }
}

/** A number of a column, with its sine and cosine. */
function see(seen, at, value) {
  seen[at] = value;
  seen[at + SUM] = Math.sin(TURN * value);
  seen[at + 2 * SUM] = Math.cos(TURN * value);
}

function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}

function logit(ink) {
  return Math.log(ink / (1 - ink));
}
