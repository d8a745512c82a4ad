// Trained networks in the browser: pictures in, pictures out, as `exported` in web/site.py writes them. No dependency.

import { Columns } from "./networks/columns.js";
import { Constructed } from "./networks/constructed.js";
import { notation } from "./networks/notation.js";
import { Page, places } from "./networks/page.js";
import { Perceptron } from "./networks/perceptron.js";
import { Signs } from "./networks/signs.js";
import { Tally } from "./networks/tally.js";
import { Templates } from "./networks/templates.js";

const KINDS = {
  perceptron: (stored) => new Perceptron(stored),
  columns: (stored, page) => new Columns(stored, cells(stored, page), page.pixels, page.width),
  signs: (stored, page) => new Signs(stored, cells(stored, page), page.pixels, page.width),
  tally: (stored, page) => new Tally(stored, page.places, page.pixels, page.width),
  constructed: (stored, page, answerPage) =>
    new Constructed(stored, page.places, answerPage.places, answerPage.pixels),
};

/** Where the cells stand: as they were found in the pictures, or as the page has them. */
function cells(stored, page) {
  return stored.grid ? places(widened(stored.grid, page.width)) : page.places;
}

/** The grid of cells that were found, with as many as fit between the same margins. */
function widened(grid, width) {
  return { ...grid, cells: grid.cells + (width - grid.width) / grid.pitch, width };
}

/** A run: its network, how its numbers look, and how its answers are read. */
export class Run {
  constructor(stored) {
    this.notation = notation(stored.notation);
    this.page = Page.stored(stored.page);
    this.answerPage = stored.answer_page ? Page.stored(stored.answer_page) : this.page;
    this.reader = new Templates(this.answerPage);
    this.inputReader = stored.answer_page ? new Templates(this.page) : this.reader;
    const build = KINDS[stored.network.kind];
    if (!build) throw new Error(`a network of kind ${stored.network.kind} is unknown`);
    this.kind = stored.network.kind;
    this.network = build(stored.network, this.page, this.answerPage);
    this.lengths = new Map([[this.page.cells, this]]);
    this.grid = stored.network.grid;
  }

  /** The same network for numbers of so many digits, in cells of the same size. */
  at(digits) {
    if (!this.lengths.has(digits)) {
      const longer = Object.assign(Object.create(Run.prototype), this);
      longer.notation = this.notation.at(digits);
      longer.page = longer.answerPage = this.page.at(digits);
      longer.reader = longer.inputReader = new Templates(longer.page);
      const where = cells({ grid: this.grid }, longer.page);
      longer.network = this.network.at(where, longer.page.pixels, longer.page.width);
      this.lengths.set(digits, longer);
    }
    return this.lengths.get(digits);
  }

  /** Pictures of the operands, rows of intensities in [0, 1], to pictures of the answers. */
  predict(pictures) {
    return this.network.draw(pictures);
  }

  /** What it perceives in the cells of these pictures; null if this kind of network does not tell. */
  perceived(pictures) {
    return this.network.perceived?.(pictures) ?? null;
  }

  /** What templates read in an answer: a symbol and a confidence for each cell, and the line as text. */
  read(picture) {
    const reading = this.reader.read(picture);
    return { ...reading, text: this.notation.text(reading.symbols) };
  }

  /** What templates read in an input. */
  readInput(picture) {
    const reading = this.inputReader.read(picture);
    return { ...reading, text: this.notation.text(reading.symbols) };
  }

  /** Numbers as the pictures that are shown. */
  typeset(numbers) {
    return numbers.map((number) => this.page.typeset(this.notation.write(number)));
  }
}
