// The answer to a question: the picture that a network draws, what is read in it, and what is true.

import { encoded } from "./encoding.js";
import { rounded } from "./rounding.js";
import { shown } from "./showing.js";

/** The answer as JSON. */
export function answer(question, run) {
  const started = performance.now();
  const given = shown(question, run);
  const drawn = draw(run, given);
  const perceived = run.perceived(given.seen);
  const unreadable = perceived && perceived.map(unreadableCells);
  const truth = unreadable?.some((cells) => cells.length) ? null : given.truth;
  const reading = asJson(run.read(drawn), run.notation, truth);
  const { height, width } = run.page;
  return {
    op: run.listed.op,
    learner: run.listed.learner,
    network: run.listed.name,
    noise: question.noise ?? 0,
    seed: question.seed ?? 0,
    permuted: question.permuted ?? false,
    inputs: given.seen.map((picture, i) => ({ picture: encoded(picture, height, width), reading: given.readings[i] })),
    answer: encoded(drawn, run.answerPage.height, run.answerPage.width),
    reading,
    truth: given.truth && run.notation.text(given.truth),
    correct: truth && reading.cells.every((cell) => cell.right),
    input_confidence: perceived && rounded(Math.min(...perceived.flat().map(({ sure }) => sure)), 4),
    unreadable,
    warning: given.warning,
    milliseconds: rounded(performance.now() - started, 2),
  };
}

/** The numbers of the cells that cannot be read, from the left. */
function unreadableCells(cells) {
  return cells.flatMap(({ readable }, cell) => (readable ? [] : [cell]));
}

/** The answer picture in the order of pixels that eyes know. A perceptron whose weights are permuted as the pixels are
 *  draws to permuted pictures what it draws to plain ones. */
export function draw(run, given) {
  return run.predict(run.kind === "perceptron" ? given.plain : given.seen)[0];
}

function asJson({ symbols, confidence, text }, notation, truth) {
  const cells = symbols.map((symbol, cell) => ({
    symbol: symbol >= 0 ? notation.alphabet[symbol] : "?",
    confidence: rounded(confidence[cell], 4),
    right: truth && symbol === truth[cell],
  }));
  return { reader: "templates", text, confidence: rounded(Math.min(...confidence), 4), cells };
}
