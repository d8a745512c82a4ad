// The world that the learner looks at: pictures of sums, and an examiner who can read. Digits are known here only.

import { squaredDistance } from "../networks/layers.js";
import { Page } from "../networks/page.js";
import { Templates } from "../networks/templates.js";

// A cell that differs from a glyph by less than this share of the distance to any other is read as this glyph: with a
// share s, the confidence of templates is at least 1 - 2 sqrt(s), and they read from 0.06 on.
const CERTAIN = 0.22;
const HALF = 5_000_000; // operands are below it, so that sums have at most seven digits

/** How numbers look: glyphs in cells. `layout` is one of the engine's; more cells than it has make wider pictures. */
export class Sums {
  constructor(layout, cells = layout.cells) {
    const [, left] = layout.corners[0];
    const width = layout.width + (cells - layout.cells) * layout.glyph_width;
    const { alphabet, height } = layout;
    this.page = new Page({ alphabet, glyphs: layout.inked, pitch: layout.glyph_width, left, cells, height, width });
    this.inked = layout.inked;
    this.reader = new Templates(this.page);
    this.near = this.reader.apart.map((own) => CERTAIN * Math.min(...own.filter((apart) => apart > 0)));
  }

  /** The picture, in bytes, of a number that is written in digits. */
  picture(digits) {
    const picture = new Uint8Array(this.page.pixels);
    const written = String(digits).padStart(this.page.cells, "0");
    this.page.places.forEach((where, cell) => {
      const glyph = this.inked[this.page.alphabet.indexOf(written[cell])];
      for (let i = 0; i < where.length; i++) picture[where[i]] = glyph[i];
    });
    return picture;
  }

  /** Two numbers and their sum as pictures. */
  example([a, b]) {
    return { shown: [this.picture(a), this.picture(b)], answer: this.picture(a + b) };
  }

  /** Whether templates read this sum; `painted` gives the ink of a cell by its place from the right. */
  isDrawn(painted, sum) {
    const digits = String(sum).padStart(this.page.cells, "0");
    for (let place = 0; place < digits.length; place++) {
      const cell = painted(place);
      const symbol = this.page.alphabet.indexOf(digits[digits.length - 1 - place]);
      const isNear = squaredDistance(cell, this.page.patterns[symbol]) < this.near[symbol];
      if (!isNear && this.reader.cell(cell)[0] !== symbol) return false;
    }
    return true;
  }

  /** What templates read in painted cells, from the left: digits, "?" where one cannot be read. */
  read(cells) {
    return cells.map((cell) => this.page.alphabet[this.reader.cell(cell)[0]] ?? "?").join("");
  }
}

/** So many pairs, none of them in `taken` in either order. */
export function pairs(count, dice, taken = new Set()) {
  return Array.from({ length: count }, () => {
    for (;;) {
      const pair = [dice.below(HALF), dice.below(HALF)];
      if (!taken.has(name(pair))) return pair;
    }
  });
}

/** The same for (a, b) and (b, a). */
export function name([a, b]) {
  return a < b ? a * HALF + b : b * HALF + a;
}
