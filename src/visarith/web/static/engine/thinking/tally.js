// What a tally hands from symbol to symbol, one frame a symbol.

import { nearest, plus, seenOf, sigmoid } from "../../networks/layers.js";
import { encoded } from "../encoding.js";
import { rounded } from "../rounding.js";

/** How often each symbol stands in the pictures, what is made of it, and what is carried to the next symbol. */
export function counted({ network: tally, page }, given) {
  const columns = tally.calculator;
  const counts = tally.counts(given.seen);
  const names = tally.centres.map((centre) => page.alphabet[nearest(centre, page.patterns)]);
  const met = (all) => columns.met(all.map((own) => tally.strokes(own)));
  const empty = met(counts.map((own) => own.map(() => 0)));
  const strokes = (seen) => columns.painter(seen).slice(tally.symbols - 1).map(sigmoid);
  const amount = (drawn) => drawn.reduce((sum, stroke) => sum + rounded(stroke), 0);
  const line = new Array(tally.symbols - 1).fill("");

  /** Which state, its numbers, and how many strokes it draws in the next column, where nothing was counted. */
  function said({ state, vector }, column) {
    return {
      state,
      vector: Array.from(vector, (value) => rounded(value, 3)),
      alone: column === null ? null : String(amount(strokes(seenOf(plus(empty[column], vector))))),
    };
  }

  const frames = columns.walk(met(counts)).map((step) => {
    const drawn = strokes(step.seen);
    line[step.column] = names[step.column].repeat(amount(drawn));
    return {
      row: step.way,
      column: step.column,
      label: names[step.column],
      above: counts.map((own) => String(own[step.column])),
      handed: said(step.handed, step.column),
      hands: said(step.hands, step.after),
      painted: encoded(drawn, 1, drawn.length),
      symbol: String(amount(drawn)),
      confidence: rounded(Math.min(...drawn.map((stroke) => Math.abs(2 * stroke - 1))), 4),
      line: line.join(""),
    };
  });
  return { kind: "tally", columns: tally.symbols - 1, frames };
}
