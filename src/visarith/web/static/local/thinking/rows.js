// Long multiplication as rows do it: a row for each digit of the second number, a frame a cell.

import { nearest, sigmoid, surely } from "../../networks/layers.js";
import { steps } from "../../networks/rows.js";
import { encoded } from "../encoding.js";
import { rounded } from "../rounding.js";

/** As `networks/rows.js` works it out, with every step kept that changes something. */
export function workedOut({ network, answerPage, listed }, given) {
  const { glyphs } = network;
  const names = glyphs.map((glyph) => answerPage.alphabet[nearest(glyph, answerPage.patterns)]);
  const shown = network.recognised(given.seen);
  const cells = shown[0].length;
  const written = new Array(cells).fill(null);
  const glyph = (number) => ({ state: number, vector: [], alone: number === null ? "nothing" : names[number] });
  const frames = telling(steps(network.cell(), shown)).map((step) => {
    written[step.place] = step.writes;
    const painted = step.cell.map(sigmoid);
    return {
      row: step.row,
      column: cells - 1 - step.place,
      label: "",
      above: [names[step.one], names[step.other]],
      handed: glyph(step.carried),
      hands: glyph(step.carries),
      painted: encoded(painted, answerPage.height, painted.length / answerPage.height),
      symbol: names[step.writes],
      confidence: rounded(Math.min(surely(painted, glyphs).sure, 1), 4),
      line: [...written].reverse().map((number) => (number === null ? " " : names[number])).join(""),
    };
  });
  return { kind: "columns", from: "right", columns: cells, states: names.length, note: listed.described, frames };
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
