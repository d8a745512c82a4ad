// Long multiplication as the network does it: a row for each digit of the second number, a frame a cell. What a cell
// writes and what it carries are pictures that it draws and that the next cell reads again.

import { nearest, sigmoid, surely } from "../../networks/layers.js";
import { steps } from "../../networks/rows.js";
import { asBytes, namesSeen, paper } from "./paper.js";

const known = new WeakMap(); // what was drawn in each case, by its logits, which the cell remembers

function drawn({ cell, passed }, glyphs) {
  if (!known.has(cell)) {
    const painted = cell.map(sigmoid);
    const sure = Math.min(surely(painted, glyphs).sure, 1);
    known.set(cell, { painted: asBytes(painted), handed: asBytes(passed.map(sigmoid)), sure });
  }
  return known.get(cell);
}

/** As `networks/rows.js` works it out, with every step kept that changes something. */
export function workedOut(run, given) {
  const { network, answerPage } = run;
  const { glyphs } = network;
  const names = glyphs.map((glyph) => answerPage.alphabet[nearest(glyph, answerPage.patterns)]);
  const shown = network.recognised(given.seen);
  const saw = namesSeen(run, given);
  const cells = shown[0].length;
  const written = new Array(cells).fill(null), line = new Array(cells).fill(" ");
  const frames = telling(steps(network.cell(), shown)).map((step) => {
    const before = written[step.place];
    const column = cells - 1 - step.place;
    written[step.place] = step.writes;
    line[column] = names[step.writes];
    const { painted, handed, sure } = drawn(step, glyphs);
    return {
      row: step.row,
      column,
      after: column ? column - 1 : null,
      saw: [saw[0][cells - 1 - (step.place - step.row)], saw[1][cells - 1 - step.row]],
      before: before === null ? "nothing" : names[before],
      handed: { text: step.carried === null ? "nothing" : names[step.carried], picture: null, state: step.carried },
      hands: { text: names[step.carries], picture: handed, state: step.carries },
      painted,
      symbol: names[step.writes],
      sure,
      line: line.join(""),
    };
  });
  return { ...paper(run, given, frames, "right"), long: true };
}

/** The steps without those at the end of a row that change nothing, such as leading zeros. */
function telling(all) {
  const blank = all.findLast((step) => step.row === 0).writes; // what stands in front of short numbers
  const rows = [];
  for (const step of all) (rows[step.row] ??= []).push(step);
  const kept = rows.map((row) => {
    const last = row.findLastIndex((step) => step.writes !== (step.before ?? blank));
    return row.slice(0, last + 1);
  });
  const some = kept.flat();
  return some.length ? some : rows[0].slice(0, 1);
}
