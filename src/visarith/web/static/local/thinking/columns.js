// What is handed from column to column, one frame a column.

import { plus, seenOf, sigmoid, surely } from "../../networks/layers.js";
import { encoded } from "../encoding.js";
import { rounded } from "../rounding.js";

const CLEAR = 0.5; // how sure a drawing must be for what is handed on to be called after it

/** The walk of a column learner over two pictures. */
export function walked({ network, page, answerPage, listed }, given) {
  const zeros = page.typeset(new Array(page.cells).fill(0));
  const empty = network.met([zeros, zeros]);
  const line = new Array(page.cells).fill(" ");
  const painted = (seen) => network.painter(seen).map(sigmoid);

  /** Which state, its numbers, and what it draws in a column of zeros, if there is a next column. */
  function said({ state, vector }, column) {
    const alone = column !== null && surely(painted(seenOf(plus(empty[column], vector))), answerPage.patterns);
    return {
      state,
      vector: Array.from(vector, (value) => rounded(value, 3)),
      alone: alone && alone.sure > CLEAR ? page.alphabet[alone.which] : null,
    };
  }

  const frames = network.walk(network.met(given.seen)).map((step) => {
    const drawn = painted(step.seen);
    const { which, sure } = surely(drawn, answerPage.patterns);
    line[step.column] = page.alphabet[which];
    return {
      row: step.way,
      column: step.column,
      label: "",
      above: given.symbols.map((own) => page.alphabet[own[step.column]] ?? "?"),
      handed: said(step.handed, step.column),
      hands: said(step.hands, step.after),
      painted: encoded(drawn, page.height, drawn.length / page.height),
      symbol: line[step.column],
      confidence: rounded(Math.min(sure, 1), 4),
      line: line.join(""),
    };
  });
  return {
    kind: "columns",
    from: network.ways[network.ways.length - 1],
    columns: page.cells,
    states: network.states[0] && network.states[0].length,
    note: listed.described,
    frames,
  };
}
