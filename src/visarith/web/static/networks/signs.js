// One network for several operations, quantised: it recognises the sign, and then is the column learner of that sign.

import { Columns } from "./columns.js";
import { Perception } from "./perception.js";
import { rows } from "./tensors.js";

export class Signs {
  /** Cells stand at `places` in pictures of so many pixels and this width. */
  constructor(stored, places, pixels, width) {
    this.sign = stored.sign; // which picture shows it
    this.each = stored.each.map((own) => new Columns(own, places, pixels, width));
    this.perception = new Perception(rows(stored.glyphs), places, pixels, width); // the last glyph is empty
  }

  /** Pictures in, pictures out, each a row of pixels. */
  draw(pictures) {
    const seen = this.perception.perceive(pictures[this.sign]).map(({ which }) => which);
    const number = Math.min(...seen, this.each.length - 1);
    return this.each[number].draw(this.operands(pictures));
  }

  operands(pictures) {
    return pictures.filter((_, number) => number !== this.sign);
  }

  /** What is perceived in each cell of each picture; the glyphs of signs are numbered after those of operands. */
  perceived(pictures) {
    const seen = this.each[0].perceived(this.operands(pictures));
    const shown = this.perception.perceive(pictures[this.sign]);
    const signs = shown.filter(({ which }) => which < this.each.length).length;
    const cells = shown.map(({ which, sure, readable }) => {
      const clear = readable && (which === this.each.length || signs === 1); // one sign, not two
      return { which: which + this.each[0].glyphs.length, sure: clear ? sure : 0, readable: clear };
    });
    return [...seen.slice(0, this.sign), cells, ...seen.slice(this.sign)];
  }
}
