// The answer to a question: the picture that a network draws, what is read in it, and what is true.

import { UNREADABLE } from "../networks/templates.js";
import { encoded } from "./encoding.js";
import { rounded } from "./rounding.js";
import { askedInstead, served } from "./server.js";
import { shown } from "./showing.js";

const LEGIBLE = 0.5; // below this confidence no truth is derived from a cell: 3/4 of one digit, 1/4 of another

/** The answer as JSON, from the browser's network or, where only Python can run it, from the server's. */
export async function answer(question, found) {
  if (!found.listed.exports) return askedInstead(question);
  const started = performance.now();
  const given = shown(question, found);
  const run = given.run;
  const drawn = draw(run, given);
  const { unreadable, sure, clear } = legibility(run, given);
  const truth = clear && unreadable.every((cells) => !cells.length) ? await truthOf(question, run, given) : null;
  const reading = asJson(run.read(drawn), run.notation, truth);
  const { height, width } = run.page;
  return {
    op: run.listed.op,
    learner: run.listed.learner,
    network: run.listed.name,
    noise: question.noise ?? 0,
    seed: question.seed ?? 0,
    permuted: question.permuted ?? false,
    inputs: given.seen.map((picture, i) => ({
      picture: encoded(picture, height, width),
      reading: legibleText(given.readings[i], run.notation),
    })),
    answer: encoded(drawn, run.answerPage.height, run.answerPage.width),
    reading,
    truth: truth && run.notation.text(truth),
    correct: truth && reading.cells.every((cell) => cell.right),
    input_confidence: rounded(sure, 4),
    unreadable,
    warning: given.warning,
    milliseconds: rounded(performance.now() - started, 2),
  };
}

/** The cells of each input that cannot be read, and how sure the least sure cell is. Networks that look at cells say so
 *  themselves; for others it is what templates read in the clean picture. */
function legibility(run, given) {
  const perceived = run.perceived(given.seen);
  const cells = given.readings.map(({ confidence }, i) =>
    confidence.map((sure, cell) => perceived?.[i][cell] ?? { sure, readable: sure >= LEGIBLE }),
  );
  return {
    unreadable: cells.map((own) => own.flatMap(({ readable }, cell) => (readable ? [] : [cell]))),
    sure: Math.min(...cells.flat().map(({ sure }) => sure)),
    clear: given.readings.every(({ confidence }) => confidence.every((sure) => sure >= LEGIBLE)),
  };
}

/** What is read in an input; "?" where it is illegible. */
function legibleText({ symbols, confidence }, notation) {
  return notation.text(symbols.map((symbol, cell) => (confidence[cell] >= LEGIBLE ? symbol : UNREADABLE)));
}

/** What arithmetic says of the numbers, as symbols; rules that the browser does not know are the server's. */
async function truthOf(question, run, given) {
  if (run.rule) return given.truth;
  if (!given.numbers || !served()) return null;
  const { truth } = await askedInstead({ ...question, noise: 0, permuted: false });
  return truth && run.notation.write(run.notation.number(truth));
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
