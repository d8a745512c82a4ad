// Long multiplication as on paper, by a column learner that has only seen whole products of short numbers. The
// procedure is given; its two tables, of products and of sums, are what the trained columns draw for pairs of glyphs.

import { joined, nearest, plus, seenOf, sigmoid } from "./layers.js";

/** Draw both tables; which glyphs are nothing and one is found by what they do to all others. */
export function tables(learner) {
  const { glyphs } = learner;
  const every = glyphs.map((_, number) => number);
  const vectors = glyphs.map((glyph) => learner.reader(glyph));
  const met = vectors.map((left) => vectors.map((right) => learner.meet.diagonal(joined(left, right))));
  const start = learner.starts[0];
  const drawn = met.map((row) => row.map((column) => nearest(painted(learner, plus(column, start)), glyphs)));
  const nothing = only(
    every.filter((glyph) => every.every((other) => drawn[glyph][other] === glyph && drawn[other][glyph] === glyph)),
    "zero",
  );
  const same = only(
    every.filter((glyph) => every.every((other) => drawn[other][glyph] === other)),
    "one",
  );
  const empty = met[nothing][nothing];
  const added = met.map((row) => row[same]);
  return {
    products: table(learner, met.map((row) => row.map((column) => plus(column, empty))), empty),
    sums: table(learner, added.map((one) => added.map((other) => plus(one, other))), empty),
    nothing,
  };
}

/** For each pair of glyphs: the cell that is drawn, the glyph that it looks like, and the one that is carried. */
function table(learner, columns, empty) {
  const { glyphs } = learner;
  const seen = columns.map((row) => row.map((column) => seenOf(plus(column, learner.starts[0]))));
  const cells = seen.map((row) => row.map((each) => learner.painter(each)));
  const written = cells.map((row) => row.map((cell) => nearest(cell.map(sigmoid), glyphs)));
  const carried = seen.map((row) =>
    row.map((each) => nearest(painted(learner, plus(learner.hands[0](each), empty)), glyphs)),
  );
  return { cells, written, carried };
}

function painted(learner, column) {
  return learner.painter(seenOf(column)).map(sigmoid);
}

function only(found, which) {
  if (found.length !== 1)
    throw new Error(`${found.length} glyphs behave as ${which}, not 1; this run does not multiply digits`);
  return found[0];
}

/** Which glyphs two numbers show to the logits of their product's cells. */
export function multiply(known, shown) {
  return lastWritten(known, shown).map(([one, other]) => known.sums.cells[one][other]);
}

/** The two glyphs whose sum was written last in each cell of the product of two numbers, given as glyphs. */
function lastWritten(known, shown) {
  const [left, right] = shown.map((glyphs) => [...glyphs].reverse());
  const written = left.map(() => known.nothing);
  const last = left.map(() => [known.nothing, known.nothing]);
  for (let row = 0; row < left.length; row++) {
    let carry = known.nothing;
    for (let column = row; column < left.length; column++) {
      const step = oneStep(known, left[column - row], right[row], written[column], carry);
      [written[column], last[column], carry] = [step.written, step.added, step.carry];
    }
  }
  return last.reverse();
}

/** One digit times another, with what is written already and what is carried: what is written then, and carried. */
export function oneStep({ products, sums }, one, other, before, carried) {
  const first = [products.written[one][other], before];
  const added = [sums.written[first[0]][first[1]], carried];
  const tens = sums.written[products.carried[one][other]][sums.carried[first[0]][first[1]]];
  return {
    added,
    written: sums.written[added[0]][added[1]],
    carry: sums.written[tens][sums.carried[added[0]][added[1]]],
  };
}
