// A page: which glyphs there are, where each cell stands, and typesetting by table look-up.

import { numbers } from "./tensors.js";

export class Page {
  /** Glyphs are rows of 8-bit ink; cells of one size stand side by side from `left` on. */
  constructor({ alphabet, glyphs, pitch, left, cells, height, width }) {
    Object.assign(this, { alphabet, pitch, left, cells, height, width });
    this.pixels = height * width;
    this.glyphs = glyphs;
    this.patterns = glyphs.map((glyph) => Float32Array.from(glyph, (ink) => ink / 255));
    this.places = places(this);
  }

  static stored(page) {
    const ink = numbers(page.glyphs);
    const size = page.height * page.pitch;
    const glyphs = Array.from(page.alphabet, (_, symbol) => ink.subarray(symbol * size, (symbol + 1) * size));
    return new Page({ ...page, glyphs });
  }

  /** As many cells of the same size, between the same margins. */
  at(cells) {
    return new Page({ ...this, cells, width: this.width + (cells - this.cells) * this.pitch });
  }

  /** Symbols, one a cell, as a picture of intensities in [0, 1]. */
  typeset(symbols) {
    const picture = new Float32Array(this.pixels);
    symbols.forEach((symbol, cell) => put(picture, this.places[cell], this.patterns[symbol]));
    return picture;
  }
}

/** Where each pixel of each cell stands in the flattened picture. */
export function places({ left, pitch, cells, height, width }) {
  return Array.from({ length: cells }, (_, cell) => {
    const own = new Int32Array(height * pitch);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < pitch; x++) own[y * pitch + x] = y * width + left + pitch * cell + x;
    return own;
  });
}

/** What stands at these places of a picture. */
export function taken(picture, where) {
  return Float64Array.from(where, (place) => picture[place]);
}

export function put(picture, where, values) {
  for (let i = 0; i < where.length; i++) picture[where[i]] = values[i];
}
