// How a number is written as symbols in cells: Arabic numerals padded with zeros, and additive Roman ones. Numbers are
// BigInts, since JavaScript's own are exact only up to 2^53.

const CELLS_A_DIGIT = 5; // of Roman numerals: 9 is VIIII

export function notation(stored) {
  if (stored.name === "arabic") return new Arabic(stored);
  if (stored.name === "roman") return new Roman(stored);
  throw new Error(`notation ${stored.name} is unknown`);
}

/** One row of symbols as a string, '?' for unreadable, without the blanks around it. */
function text(alphabet, symbols) {
  return symbols
    .map((symbol) => (symbol >= 0 ? alphabet[symbol] : "?"))
    .join("")
    .replace(/^ +| +$/g, "");
}

class Arabic {
  constructor({ name, cells, base, alphabet, limit }) {
    Object.assign(this, { name, cells, base, alphabet, limit: BigInt(limit) });
  }

  /** The same for numbers of so many digits. */
  at(cells) {
    return new Arabic({ ...this, cells, limit: BigInt(this.base) ** BigInt(cells) - 1n });
  }

  write(number) {
    const symbols = new Array(this.cells);
    let rest = BigInt(number);
    for (let cell = this.cells - 1; cell >= 0; cell--) {
      symbols[cell] = Number(rest % BigInt(this.base));
      rest /= BigInt(this.base);
    }
    return symbols;
  }

  /** The number, or null where a row is none. */
  parse(symbols) {
    if (symbols.some((symbol) => symbol < 0 || symbol >= this.base)) return null;
    return this.value(symbols);
  }

  value(digits) {
    return digits.reduce((number, digit) => number * BigInt(this.base) + BigInt(digit), 0n);
  }

  text(symbols) {
    return text(this.alphabet, symbols);
  }

  /** A number that a person wrote. */
  number(written) {
    if (/^-[\p{L}\p{N}]+$/u.test(written)) throw new Error(`${written} is negative; numbers here are 0 or more`);
    const digits = Array.from(written.toUpperCase(), (symbol) => this.alphabet.indexOf(symbol));
    if (!digits.length || !/^[\x00-\x7f]*$/.test(written) || digits.includes(-1))
      throw new Error(`${quoted(written)} is no number in base ${this.base}; write it with ${this.alphabet}`);
    return this.value(digits);
  }
}

class Roman {
  constructor({ name, cells, digits, alphabet, limit }) {
    Object.assign(this, { name, cells, digits, alphabet, limit: BigInt(limit) });
    this.values = Array.from({ length: 2 * digits }, (_, i) => 10n ** BigInt(i >> 1) * (i % 2 ? 5n : 1n));
  }

  write(number) {
    const symbols = [];
    let rest = BigInt(number);
    for (let i = this.values.length - 1; i >= 0; i--) {
      for (; rest >= this.values[i]; rest -= this.values[i]) symbols.push(i);
    }
    while (symbols.length < CELLS_A_DIGIT * this.digits) symbols.push(this.values.length);
    return symbols;
  }

  parse(symbols) {
    if (symbols.includes(-1)) return null;
    const number = symbols.reduce((sum, symbol) => sum + (this.values[symbol] ?? 0n), 0n);
    if (number > this.limit) return null;
    return this.write(number).every((symbol, cell) => symbol === symbols[cell]) ? number : null;
  }

  text(symbols) {
    return text(this.alphabet, symbols);
  }

  /** A number that a person wrote in these numerals, or in decimal digits. */
  number(written) {
    if (/^[0-9]+$/.test(written)) return BigInt(written);
    const numerals = this.alphabet.trim();
    const indices = Array.from(written.toUpperCase(), (symbol) => numerals.indexOf(symbol));
    if (!indices.length || !/^[\x00-\x7f]*$/.test(written) || indices.includes(-1))
      throw new Error(`${quoted(written)} is no number in Roman numerals; write it with ${numerals} or in digits`);
    if (indices.some((symbol, i) => i && symbol > indices[i - 1]))
      throw new Error(`${quoted(written)} is not additive; write the larger numerals first, IIII and not IV`);
    const number = indices.reduce((sum, symbol) => sum + this.values[symbol], 0n);
    if (number > this.limit)
      throw new Error(`${quoted(written)} is ${number}, above ${this.limit}; write a smaller number`);
    const proper = this.text(this.write(number));
    if (proper !== written.toUpperCase())
      throw new Error(`${quoted(written)} has too many of a numeral; ${number} is written ${proper}`);
    return number;
  }
}

/** As Python quotes it. */
function quoted(written) {
  return written.includes("'") && !written.includes('"') ? `"${written}"` : `'${written}'`;
}
