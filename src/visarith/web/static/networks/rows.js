// Rows: one cell network walks the grid of digit pairs row by row, and reads again what it drew, as on paper. How its
// cells are wired is given; what they draw is learned.

import { joined, nearest, plus, seenOf, sigmoid } from "./layers.js";

/** One cell: two glyphs, what is written and what is carried, each the number of a glyph or null for nothing yet.
 *  Every case is drawn once and then remembered. */
export function cellOf(learner) {
  const { glyphs, again } = learner;
  const start = learner.starts[0];
  const vectors = glyphs.map((glyph) => learner.reader(glyph));
  const [asPair, asState] = [again.written, again.carried].map((reader) => glyphs.map((glyph) => reader(glyph)));
  const known = new Map();
  return (one, other, written, carried) => {
    const name = [one, other, written, carried].join();
    if (!known.has(name)) {
      const pair = learner.meet.diagonal(joined(vectors[one], vectors[other]));
      const state = carried === null ? start : asState[carried];
      const column = plus(written === null ? pair : plus(pair, asPair[written]), state);
      const seen = seenOf(column);
      const cell = learner.painter(seen);
      const passed = learner.painter(seenOf(plus(learner.hands[0](seen), again.empty)));
      const [writes, carries] = [cell, passed].map((logits) => nearest(logits.map(sigmoid), glyphs));
      known.set(name, { cell, passed, writes, carries });
    }
    return known.get(name);
  };
}

/** Every step, row by row, for the glyphs that two numbers show: a row for each digit of the second number. */
export function steps(cell, shown) {
  const [left, right] = shown.map((glyphs) => [...glyphs].reverse());
  const written = left.map(() => null);
  const all = [];
  for (let row = 0; row < left.length; row++) {
    let carried = null;
    for (let place = row; place < left.length; place++) {
      const [one, other, before] = [left[place - row], right[row], written[place]];
      const drawn = cell(one, other, before, carried);
      written[place] = drawn.writes;
      all.push({ row, place, one, other, before, carried, ...drawn });
      carried = drawn.carries;
    }
  }
  return all;
}

/** The logits of the answer's cells: what was drawn last at each place. */
export function multiply(cell, shown) {
  const drawn = [];
  for (const step of steps(cell, shown)) drawn[step.place] = step.cell;
  return drawn.reverse();
}
