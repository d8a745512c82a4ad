// How a person's number becomes symbols in cells: padded digits, or additive Roman numerals.

export function symbolsOf(text, page, notation) {
  const clean = text.trim().toUpperCase();
  return notation === "roman" ? roman(clean, page) : arabic(clean, page);
}

function arabic(text, page) {
  const digits = text.replace(/^0+(?=.)/, "");
  if (!text) throw new Error("write a number");
  if (!/^[0-9]+$/.test(digits)) throw new Error(`“${text}” is no number; write it with digits`);
  if (digits.length > page.cells) throw new Error(`“${digits}” has more than ${page.cells} digits`);
  return [...digits.padStart(page.cells, "0")].map((digit) => page.alphabet.indexOf(digit));
}

function roman(text, page) {
  const numerals = page.alphabet.trim();
  const values = [...numerals].map((_, i) => 10 ** Math.floor(i / 2) * (i % 2 ? 5 : 1));
  const limit = 10 ** (numerals.length / 2) - 1;
  let number = 0;
  if (/^[0-9]+$/.test(text)) {
    number = Number(text);
  } else {
    if (!text || [...text].some((symbol) => !numerals.includes(symbol))) {
      throw new Error(`“${text}” is no number; write it with ${numerals}, or in digits`);
    }
    for (const symbol of text) number += values[numerals.indexOf(symbol)];
  }
  if (number > limit) throw new Error(`“${text}” is above ${limit.toLocaleString("en")}`);
  const written = [];
  for (let i = numerals.length - 1; i >= 0; i--) {
    while (number >= values[i]) {
      written.push(i);
      number -= values[i];
    }
  }
  const blank = page.alphabet.indexOf(" ");
  return Array.from({ length: page.cells }, (_, cell) => written[cell] ?? blank);
}
