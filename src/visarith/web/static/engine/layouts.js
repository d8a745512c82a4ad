// How wide the pictures of two numbers must be, and how a number is written in them.

import { notation } from "../networks/notation.js";
import { MOST_DIGITS, RULES } from "./showing.js";


/** The notation of a page of so many cells. */
export function notationOf({ alphabet, cells }, name) {
  const digits = name === "roman" ? alphabet.trim().length / 2 : cells;
  const base = name === "roman" ? 10 : alphabet.length;
  return notation({ name, cells, digits, alphabet, base, limit: BigInt(base) ** BigInt(digits) - 1n });
}

/** How many cells two written numbers and their answer need, at least those of the page; null where one is none. */
export function cellsFor(a, b, { page, name, rule }) {
  if (name !== "arabic") return page.cells;
  const way = notationOf(page, name);
  try {
    const numbers = [a, b].map((text) => way.number(text.trim()));
    const answer = rule ? RULES[rule](...numbers) : 0n;
    const lengths = [...numbers, answer].map((each) => each.toString(way.base).replace("-", "").length);
    return Math.max(page.cells, ...lengths.map((length) => Math.min(length, 2 * MOST_DIGITS)));
  } catch {
    return null;
  }
}

/** Whether two numbers have an answer in so many cells. */
export function hasAnswer(a, b, cells, { page, name, rule }) {
  const way = notationOf({ ...page, cells }, name);
  try {
    const numbers = [a, b].map((text) => way.number(text.trim()));
    const answer = rule ? RULES[rule](...numbers) : 0n;
    return [...numbers, answer].every((each) => each >= 0n && each <= way.limit);
  } catch {
    return false;
  }
}
