// From a question to what a network is shown: numbers are typeset, noise is added, pixels are permuted.

import { decoded } from "./encoding.js";
import { noisy } from "./noise.js";
import { grouped } from "./rounding.js";
import { permutation } from "./shelf.js";

const RULES = { add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b };

/** Two pictures as they were given (clean) and as the network sees them (seen), and what is known of them. */
export function shown(question, run) {
  const { noise = 0, seed = 0, permuted = false } = question;
  if (!(noise >= 0 && noise <= 1)) throw new Error(`noise cannot be used: ${noise} is no number from 0 to 1`);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) throw new Error(`seed cannot be used: ${seed}`);
  const given = question.pictures?.length ? ofPictures(question, run) : ofNumbers(question, run);
  const answer = given.numbers && answerTo(run, ...given.numbers);
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

function ofPictures(question, run) {
  if (question.pictures.length !== 2)
    throw new Error(`${question.pictures.length} picture was given; give two, one for each number`);
  const clean = question.pictures.map((picture) => decoded(picture, run.page)); // the page fits files itself
  const readings = clean.map((picture) => run.read(picture));
  const numbers = readings.map((reading) => run.notation.parse(reading.symbols));
  return {
    clean,
    readings: readings.map((reading) => reading.text),
    symbols: readings.map((reading) => reading.symbols),
    numbers: numbers.includes(null) ? null : numbers,
  };
}

function ofNumbers({ a = "", b = "" }, run) {
  const { notation } = run;
  for (const [name, text] of Object.entries({ a, b })) {
    if (!text.trim()) throw new Error(`${name} is missing; give two numbers, or two pictures`);
    if (notation.name === "arabic" && text.trim().replace(/^0+/, "").length > notation.cells)
      throw new Error(`${name} has more than ${notation.cells} digits; give a shorter number`);
  }
  const numbers = [a, b].map((text) => notation.number(text.trim()));
  numbers.forEach((number, i) => {
    const written = [a, b][i].trim().replace(/^0+/, ""); // it may be too long for a number
    if (number > notation.limit) throw new Error(`${written} is above ${most(run)}; give a smaller number`);
  });
  if (answerTo(run, ...numbers) === null) throw new Error(noAnswer(run, ...numbers));
  const symbols = numbers.map((number) => notation.write(number));
  return {
    clean: symbols.map((each) => run.page.typeset(each)),
    readings: symbols.map((each) => notation.text(each)),
    symbols,
    numbers,
  };
}

/** What arithmetic says, or null where no answer fits a picture. */
function answerTo(run, a, b) {
  const answer = RULES[run.about.operation](a, b);
  return answer >= 0 && answer <= run.notation.limit ? answer : null;
}

function noAnswer(run, a, b) {
  if (run.about.operation === "subtract") return `${a} - ${b} is negative, and numbers here are 0 or more; swap them`;
  return `the answer to ${a} ${run.about.sign} ${b} is above ${most(run)}; give smaller numbers`;
}

function most(run) {
  return `${grouped(run.notation.limit)}, the largest number that a picture can show`;
}

function warning(run, numbers, noise) {
  const { largest, shipped, noise: trained, digit_error: error } = run.about;
  if (numbers && shipped && Math.max(...numbers) > largest)
    return `${grouped(Math.max(...numbers))} is outside the range of the examples, 0 to ${grouped(largest)}`;
  if (noise && !trained && shipped) return "this network was trained without noise";
  if (trained && shipped && !noise)
    return `trained on pictures with noise ${trained}, where ${error} of its digits are wrong`;
  return "";
}
