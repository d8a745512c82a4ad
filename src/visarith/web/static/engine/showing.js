// From a question to what a network is shown: numbers are typeset, noise is added, pixels are permuted.

import { decoded } from "./encoding.js";
import { noisy } from "./noise.js";
import { grouped } from "./rounding.js";
import { permutation } from "./shelf.js";

export const RULES = { add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b };
export const MOST_DIGITS = 60; // of a number; its products have twice as many
const MOST_CHARACTERS = 64; // as in the API

/** Two pictures as they were given (clean) and as the network sees them (seen), and what is known of them. Long numbers
 *  get a longer network, if there is one. */
export function shown(question, found) {
  const { noise = 0, seed = 0, permuted = false } = question;
  if (!(noise >= 0 && noise <= 1)) throw new Error(`noise cannot be used: ${noise} is no number from 0 to 1`);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) throw new Error(`seed cannot be used: ${seed}`);
  const given = question.pictures?.length ? ofPictures(question, found) : ofNumbers(question, found);
  const { run } = given;
  const answer = given.numbers && run.rule ? answerTo(run, ...given.numbers) : null;
  const plain = noisy(given.clean, noise, seed);
  const order = permuted ? permutation(run.page.pixels) : null;
  return {
    ...given,
    plain,
    order,
    seen: order ? plain.map((picture) => Float32Array.from(order, (place) => picture[place])) : plain,
    truth: answer === null ? null : run.notation.write(answer),
    warning: warning(run, given.numbers, noise),
  };
}

function ofPictures(question, found) {
  if (question.pictures.length !== 2)
    throw new Error(`${question.pictures.length} picture was given; give two, one for each number`);
  const run = atWidth(found, question.pictures[0].width);
  const clean = question.pictures.map((picture) => decoded(picture, run.page)); // the page fits files itself
  const readings = clean.map((picture) => run.readInput(picture));
  const numbers = readings.map((reading) => run.notation.parse(reading.symbols));
  return { run, clean, readings, numbers: numbers.includes(null) ? null : numbers };
}

/** A longer network for wider pictures. */
function atWidth(run, width) {
  const more = (width - run.page.width) / run.page.pitch;
  if (!run.listed.lengthens || !Number.isInteger(more) || more <= 0 || more > 2 * MOST_DIGITS) return run;
  return run.at(run.page.cells + more);
}

function ofNumbers({ a = "", b = "" }, found) {
  const { lengthens } = found.listed;
  const cells = found.notation.name === "arabic" ? found.notation.cells : Infinity;
  for (const [name, text] of Object.entries({ a, b })) {
    const digits = text.trim().replace(/^0+/, "").length;
    if (!text.trim()) throw new Error(`${name} is missing; give two numbers, or two pictures`);
    if (lengthens && digits > MOST_DIGITS) throw new Error(`${name} has ${digits} digits; give up to ${MOST_DIGITS}`);
    if (!lengthens && digits > cells)
      throw new Error(`${name} has ${digits} digits, and this network sees ${cells}; give a shorter one`);
    if (text.trim().length > MOST_CHARACTERS)
      throw new Error(`${name} has ${text.trim().length} characters; give up to ${MOST_CHARACTERS}`);
  }
  const numbers = [a, b].map((text) => found.notation.number(text.trim()));
  const answer = found.rule ? RULES[found.rule](...numbers) : 0n;
  if (answer < 0n)
    throw new Error(`${numbers[0]} - ${numbers[1]} is negative, and numbers here are 0 or more; swap them`);
  const base = found.notation.base ?? 10;
  const run = lengthens
    ? found.at(Math.max(found.page.cells, ...[...numbers, answer].map((each) => each.toString(base).length)))
    : found;
  for (const number of numbers)
    if (number > run.notation.limit) throw new Error(`${number} is above ${most(run)}; give a smaller number`);
  if (answer > run.notation.limit)
    throw new Error(`the answer to ${numbers.join(` ${run.sign} `)} is above ${most(run)}; give smaller numbers`);
  const clean = numbers.map((number) => run.page.typeset(run.notation.write(number)));
  return { run, clean, readings: clean.map((picture) => run.readInput(picture)), numbers };
}

/** What arithmetic says, or null where no answer fits a picture. */
function answerTo(run, a, b) {
  const answer = RULES[run.rule](a, b);
  return answer >= 0n && answer <= run.notation.limit ? answer : null;
}

function most(run) {
  return `${grouped(run.notation.limit)}, the largest number that this network's pictures can show`;
}

function warning(run, numbers, noise) {
  const { trained, lengthens, largest, noise: own } = run.listed;
  if (!trained) return "";
  const outside = numbers && numbers.reduce((one, other) => (one > other ? one : other));
  if (numbers && !lengthens && outside > BigInt(largest)) {
    if (run.notation.name === "roman")
      return (
        `${grouped(outside)} is above ${grouped(largest)}: numerals that no example had as input, and no certificate; ` +
        `expect wrong answers`
      );
    return `${grouped(outside)} is outside the range of the examples, 0 to ${grouped(largest)}`;
  }
  if (noise && !own) return "this network was trained without noise";
  if (own && !noise) return `this network was trained on pictures with noise ${own}; these have none`;
  return "";
}
