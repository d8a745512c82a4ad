// The fast reader: each cell is the glyph that is nearest to it, or unreadable when two are about as near.

import { squaredDistance } from "./layers.js";
import { taken } from "./page.js";

export const UNREADABLE = -1;
const CLEAR = 0.06; // below this confidence a cell is unreadable: 53 % one glyph and 47 % another
const FLAT = [0, 0.5, 1]; // a cell that is nearest to an even grey shows no glyph

/** Confidence is how much more of the nearest glyph there is in a cell than of any other. */
export class Templates {
  constructor(page) {
    this.page = page;
    const greys = FLAT.filter((grey) => !(grey === 0 && page.alphabet.includes(" "))); // the blank symbol is one
    this.rivals = [...page.patterns, ...greys.map((grey) => page.patterns[0].map(() => grey))];
    this.apart = this.rivals.map((one) => this.rivals.map((other) => squaredDistance(one, other)));
  }

  /** A picture to a symbol and a confidence for each cell. */
  read(picture) {
    const cells = this.page.places.map((places) => this.cell(taken(picture, places)));
    return { symbols: cells.map(([symbol]) => symbol), confidence: cells.map(([, confidence]) => confidence) };
  }

  cell(pixels) {
    const squares = this.rivals.map((rival) => squaredDistance(pixels, rival));
    const nearest = squares.indexOf(Math.min(...squares));
    let margin = Infinity;
    squares.forEach((square, rival) => {
      if (rival !== nearest) margin = Math.min(margin, (square - squares[nearest]) / this.apart[nearest][rival]);
    });
    const confidence = Math.min(Math.max(margin, 0), 1);
    const clear = confidence >= CLEAR && nearest < this.page.patterns.length;
    return [clear ? nearest : UNREADABLE, confidence];
  }
}
