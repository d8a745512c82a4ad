// How columns work on paper: what each sees, what it is handed, what it draws and hands on. Nothing here is arithmetic:
// every picture was drawn by the network, and every name is what was read in one.

import { plus, seenOf, sigmoid, surely } from "../../networks/layers.js";
import { CLEAR, asBytes, namesSeen, paper } from "./paper.js";

/** The walk of a column learner over two pictures. */
export function walked(run, given) {
  const { network, page, answerPage } = run;
  const zeros = page.typeset(new Array(page.cells).fill(0));
  const empty = network.met([zeros, zeros]);
  const painted = (seen) => network.painter(seen).map(sigmoid);
  const named = ({ which, sure }) => (sure > CLEAR ? answerPage.alphabet[which] : "?");
  const saw = namesSeen(run, given);
  const line = new Array(page.cells).fill(" ");

  /** What is handed on, as it draws it in a column of zeros, if there is a next column. */
  function alone({ state, vector }, column) {
    if (column === null) return { text: "", picture: null, state };
    const drawn = painted(seenOf(plus(empty[column], vector)));
    return { text: named(surely(drawn, answerPage.patterns)), picture: asBytes(drawn), state };
  }

  const frames = network.walk(network.met(given.seen)).map((step) => {
    const drawn = painted(step.seen);
    const read = surely(drawn, answerPage.patterns);
    line[step.column] = named(read);
    return {
      row: step.way,
      column: step.column,
      after: step.after,
      saw: saw.map((own) => own[step.column]),
      before: null,
      handed: alone(step.handed, step.column),
      hands: alone(step.hands, step.after),
      painted: asBytes(drawn),
      symbol: line[step.column],
      sure: Math.min(Math.max(read.sure, 0), 1),
      line: line.join(""),
    };
  });
  return paper(run, given, frames, network.ways[network.ways.length - 1]);
}
