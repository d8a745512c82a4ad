// The column learner: cells that are read alike meet in columns, and each column hands something on to the next.

import { joined, nearest, plus, seenOf, sequence, sigmoid } from "./layers.js";
import { put, taken } from "./page.js";
import { Perception } from "./perception.js";
import { cellOf, multiply } from "./rows.js";
import { numbers, rows } from "./tensors.js";

export class Columns {
  /** Cells stand at `places` in pictures of so many pixels and this width. */
  constructor(stored, places, pixels, width) {
    Object.assign(this, { places, pixels });
    this.paths = stored.paths;
    this.ways = stored.ways;
    this.sign = stored.sign;
    this.outputs = stored.outputs;
    this.mean = stored.mean && rows(stored.mean);
    this.states = [stored.states, stored.states_back].map((states) => states && rows(states));
    this.glyphs = stored.glyphs && rows(stored.glyphs);
    this.perception = this.glyphs && new Perception(this.glyphs, places, pixels, width);
    this.starts = rows(stored.starts);
    this.ground = numbers(stored.ground)[0];
    this.reader = remembering(sequence(stored.reader)); // glyphs come again and again
    this.meet = Object.fromEntries(this.paths.map((path) => [path, sequence(stored.meet[path])]));
    this.hands = stored.hands.map((layers) => sequence(layers));
    this.turn = stored.turn && sequence(stored.turn);
    this.painter = sequence(stored.painter);
    this.again = stored.again && {
      written: sequence(stored.again.written),
      carried: sequence(stored.again.carried),
      empty: numbers(stored.again.empty),
    };
    this.remembered = null; // the cases of rows, as they are needed
  }

  /** The same weights for cells at other places. */
  at(places, pixels, width) {
    const perception = this.glyphs && new Perception(this.glyphs, places, pixels, width);
    const remembered = this.multiplies ? this.cell() : null;
    return Object.assign(Object.create(Columns.prototype), this, { places, pixels, perception, remembered });
  }

  /** Whether pairs are worked out row by row, as in long multiplication. */
  get multiplies() {
    return Boolean(this.again && this.glyphs);
  }

  /** Pictures in, pictures out, each a row of pixels. */
  draw(pictures) {
    return this.page(this.painted(pictures));
  }

  /** What stands in each cell of each picture. */
  cellsOf(pictures) {
    return pictures.map((picture, number) => {
      const mean = this.mean && this.mean[number];
      const centred = mean ? Float64Array.from(picture, (value, i) => value - mean[i]) : picture;
      return this.places.map((where) => taken(centred, where));
    });
  }

  /** What is perceived in each cell of each picture; null if it is not quantised to glyphs. */
  perceived(pictures) {
    return this.perception && pictures.map((picture) => this.perception.perceive(picture));
  }

  /** For which glyph each cell is taken. */
  recognised(pictures) {
    return this.perceived(pictures).map((own) => own.map(({ which }) => which));
  }

  /** Cells as they are or, once quantised, the glyphs for which they are taken. */
  snapped(pictures) {
    if (!this.glyphs) return this.cellsOf(pictures);
    return this.recognised(pictures).map((own) => own.map((glyph) => this.glyphs[glyph]));
  }

  /** What meets in each column of these pictures. */
  met(pictures) {
    return this.columns(this.snapped(pictures));
  }

  /** Pictures to the logits of the answer's cells. */
  painted(pictures) {
    if (this.multiplies) return multiply(this.cell(), this.recognised(pictures));
    const painted = new Array(this.places.length);
    for (const step of this.walk(this.met(pictures))) painted[step.column] = step.seen; // the last way stays
    return painted.map((seen) => this.painter(seen));
  }

  cell() {
    this.remembered ??= cellOf(this);
    return this.remembered;
  }

  /** What is read of the cells that meet, summed into columns. */
  columns(cells) {
    const vectors = cells.map((own) => own.map((cell) => this.reader(cell)));
    const operands = vectors.filter((_, number) => number !== this.sign);
    const said = this.sign === null ? [] : [this.said(vectors[this.sign])];
    return this.paths
      .map((path) => (path === "aligned" ? this.aligned(operands, said) : this.diagonals(operands, said)))
      .reduce((one, other) => one.map((column, cell) => plus(column, other[cell])));
  }

  /** What a picture of a sign says; empty cells say nothing. */
  said(vectors) {
    const nothing = this.reader(new Float64Array(this.places[0].length));
    return vectors.map((vector) => vector.map((value, i) => value - nothing[i])).reduce(plus);
  }

  aligned(operands, said) {
    return this.places.map((_, cell) => this.meet.aligned(joined(...operands.map((own) => own[cell]), ...said)));
  }

  /** The pairs of cells whose places, from the right, add up. */
  diagonals([left, right], said) {
    const last = this.places.length - 1;
    return this.places.map((_, column) => {
      const met = [];
      for (let first = column; first <= last; first++)
        met.push(this.meet.diagonal(joined(left[first], right[column + last - first], ...said)));
      return met.reduce(plus);
    });
  }

  /** Every step of handing on from column to column, there and perhaps back: what a column is handed, sees with it and
   *  hands on, and the column after it, or null. */
  walk(columns) {
    const steps = [];
    this.ways.forEach((side, way) => {
      const order = columns.map((_, cell) => (side === "left" ? cell : columns.length - 1 - cell));
      const there = new Array(columns.length);
      let handed = this.handedOn(this.starts[way], way);
      order.forEach((column, number) => {
        const seen = seenOf(plus(columns[column], handed.vector));
        const hands = this.handedOn(this.hands[way](seen), way);
        steps.push({ way, column, after: order[number + 1] ?? null, handed, seen, hands });
        there[column] = seen;
        handed = hands;
      });
      if (way + 1 < this.ways.length) columns = columns.map((column, cell) => plus(column, this.turn(there[cell])));
    });
    return steps;
  }

  /** As it is or, once quantised, the nearest state. */
  handedOn(vector, way) {
    const states = this.states[way];
    if (!states) return { vector, state: null };
    const state = nearest(vector, states);
    return { vector: states[state], state };
  }

  /** Painted cells where they stand, as pictures. */
  page(cells) {
    const size = this.places[0].length;
    return Array.from({ length: this.outputs }, (_, output) => {
      const picture = new Float64Array(this.pixels).fill(sigmoid(this.ground));
      this.places.forEach((where, cell) =>
        put(picture, where, cells[cell].slice(output * size, (output + 1) * size).map(sigmoid)),
      );
      return picture;
    });
  }
}

/** A function of vectors that computes each only once. */
function remembering(compute) {
  const known = new WeakMap();
  return (vector) => {
    if (!known.has(vector)) known.set(vector, compute(vector));
    return known.get(vector);
  };
}
