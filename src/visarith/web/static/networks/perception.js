// Which glyph each cell of a picture shows, and which cells show none: learners/perception.py, for one picture.

import { squaredDistance } from "./layers.js";
import { taken } from "./page.js";

const REACH = 2; // pixels by which a picture may be moved, each way
const LIKE = 0.1; // the share of the square of half the distance to another glyph
const DEVIATIONS = 6;
const EVIDENCE = Math.log(50);
const OUTLIER = 0.1; // of the contrast: pixels that differ by more count less when contrast and ground are fitted
const ROUNDS = 5; // of fitting
const NORMAL = 1.4826; // the standard deviation of a normal distribution, by its median absolute deviation
const BLANK = 0.01; // centres of clusters are rounded, so a blank one is not quite flat
const TINY = 1e-6;
const SIDE = Array.from({ length: 2 * REACH + 1 }, (_, i) => i - REACH);
const SHIFTS = SIDE.flatMap((down) => SIDE.map((right) => [down, right])).sort(
  (one, other) => Math.abs(one[0]) + Math.abs(one[1]) - Math.abs(other[0]) - Math.abs(other[1]),
);

export class Perception {
  /** Cells, each a rectangle, stand at `places` in pictures of this width; `empty` pictures may show a number. */
  constructor(glyphs, places, pixels, width, empty = false) {
    Object.assign(this, { glyphs, places, width, empty, height: pixels / width, size: glyphs[0].length });
    this.inked = glyphs.map((glyph) => Math.max(...glyph) - Math.min(...glyph) > BLANK);
    this.apart = glyphs.map((one) => glyphs.map((other) => squaredDistance(one, other)));
    this.like = glyphs.map((glyph, own) => {
      const others = this.apart[own].filter((square) => square >= TINY);
      const ink = this.inked[own] ? [sum(glyph.map((value) => value ** 2))] : [];
      return ((LIKE / 4) * Math.min(...others, ...ink)) / this.size;
    });
    const all = new Float64Array(this.size).fill(1);
    this.shapes = glyphs.map((glyph) => centred(glyph, all));
    this.norms = this.shapes.map((shape) => Math.max(norm(shape), TINY));
    this.shapes = this.shapes.map((shape, number) => shape.map((value) => value / this.norms[number]));
    this.known = new WeakMap(); // what was perceived, by picture: it is asked for more than once
    this.partly = new Map(); // shapes of which some pixels are seen, by which these are
  }

  /** The number of the glyph in each cell, how sure that is (1 is perfect), and whether the cell is readable. */
  perceive(picture) {
    if (!this.known.has(picture)) this.known.set(picture, this.perceived(picture));
    return this.known.get(picture);
  }

  perceived(picture) {
    const plain = this.places.map((where) => this.asItIs(taken(picture, where)));
    const inked = this.empty || plain.some(({ which }) => this.inked[which]);
    if (inked && plain.every(({ readable }) => readable)) return plain;
    return this.read(this.aligned(picture));
  }

  asItIs(cell) {
    const near = this.nearest(cell);
    const differs = near.square / this.size / this.like[near.which];
    return { which: near.which, sure: clamped(Math.min(this.margin(near), 1 - differs)), readable: differs <= 1 };
  }

  /** The nearest glyph, the square of its distance, and by how much farther the others are. */
  nearest(cell, seen) {
    const squares = this.glyphs.map((glyph) => {
      let square = 0;
      for (let i = 0; i < this.size; i++) if (!seen || seen[i]) square += (cell[i] - glyph[i]) ** 2;
      return square;
    });
    const square = Math.min(...squares);
    const which = this.apart[squares.indexOf(square)].findIndex((apart) => apart < TINY); // the first of its copies
    const farther = squares.map((other, number) => (this.apart[which][number] < TINY ? Infinity : other - square));
    return { which, square, farther };
  }

  /** 1 at a glyph, 0 half way to another. */
  margin({ which, farther }) {
    return Math.min(...farther.map((more, number) => more / Math.max(this.apart[which][number], TINY)));
  }

  /** The cells at the shift at which glyphs leave the least over, and which of their pixels are in the picture. */
  aligned(picture) {
    let least = Infinity;
    let best = null;
    for (const [down, right] of SHIFTS) {
      const moved = this.places.map((where) => this.moved(picture, where, down, right));
      let [all, positive, negative, inside] = [0, 0, 0, 0];
      for (const { cell, seen } of moved) {
        const own = centred(cell, seen);
        const alike = this.shapesIn(seen).map((shape) => dot(own, shape));
        positive += Math.max(0, ...alike) ** 2;
        negative += Math.min(0, ...alike) ** 2;
        all += dot(own, own);
        inside += sum(seen);
      }
      const left = (all - Math.max(positive, negative)) / inside;
      if (left < least - TINY / 10) [least, best] = [left, moved];
    }
    return best;
  }

  /** The shapes of the glyphs over the pixels that are seen. */
  shapesIn(seen) {
    const key = seen.join("");
    if (!this.partly.has(key)) {
      const shapes = this.shapes.map((shape) => {
        const part = centred(shape, seen);
        const scale = Math.max(norm(part), TINY);
        return part.map((value) => value / scale);
      });
      this.partly.set(key, shapes);
    }
    return this.partly.get(key);
  }

  moved(picture, where, down, right) {
    const cell = new Float64Array(this.size);
    const seen = new Float64Array(this.size);
    where.forEach((place, i) => {
      const [y, x] = [Math.floor(place / this.width) + down, (place % this.width) + right];
      if (y < 0 || y >= this.height || x < 0 || x >= this.width) return;
      cell[i] = picture[y * this.width + x];
      seen[i] = 1;
    });
    return { cell, seen };
  }

  read(cells) {
    const { contrast, ground } = this.fitted(cells);
    const normal = cells.map(({ cell }) => normalised(cell, contrast, ground));
    const near = normal.map((cell, number) => this.nearest(cell, cells[number].seen));
    const some = near.some(({ which }) => this.inked[which]);
    const noise = this.noise(normal, near, cells) ** 2;
    return near.map((own, number) => {
      const { seen } = cells[number];
      const count = Math.max(sum(seen), 1);
      const like = this.like[own.which];
      const differs = (own.square / count - (1 + DEVIATIONS * Math.sqrt(2 / count)) * noise) / like;
      const ink = normal[number].reduce((total, value, i) => total + seen[i] * value ** 2, 0);
      const evidence = Math.min(...own.farther, this.inked[own.which] ? ink - own.square : Infinity);
      const readable = differs <= 1 && evidence / (2 * (noise + like)) >= EVIDENCE && some;
      const sure = clamped(Math.min(this.margin(own), 1 - differs));
      return { which: own.which, sure: readable ? sure : 0, readable };
    });
  }

  /** The contrast and the ground of a picture. */
  fitted(cells) {
    const alike = cells.map(({ cell, seen }) => this.shapes.map((shape) => dot(centred(cell, seen), shape)));
    const total = (sign) => sum(alike.map((own) => Math.max(0, ...own.map((value) => sign * value)) ** 2));
    const sign = total(1) >= total(-1) ? 1 : -1;
    const guesses = cells.map(({ cell, seen }, number) => {
      const strengths = alike[number].map((value) => Math.max(0, sign * value));
      const strength = Math.max(...strengths);
      const which = strengths.indexOf(strength);
      const slope = (strength * sign) / this.norms[which];
      const rest = sum(cell.map((value, i) => (value - slope * this.glyphs[which][i]) * seen[i]));
      return { slope, ground: rest / Math.max(sum(seen), 1), share: strength ** 2 + TINY ** 2 };
    });
    const shares = sum(guesses.map(({ share }) => share));
    let contrast = sum(guesses.map(({ slope, share }) => (share / shares) * slope));
    let ground = sum(guesses.map(({ ground: own, share }) => (share / shares) * own));
    for (let round = 0; round < ROUNDS; round++) [contrast, ground] = this.refitted(cells, contrast, ground);
    return { contrast, ground };
  }

  /** Least squares over all pixels; those that do not fit count less. */
  refitted(cells, contrast, ground) {
    const normal = cells.map(({ cell }) => normalised(cell, contrast, ground));
    const near = normal.map((cell, number) => this.nearest(cell, cells[number].seen));
    const reach = Math.max(2 * this.noise(normal, near, cells), OUTLIER);
    const pixels = cells.flatMap(({ cell, seen }, number) =>
      Array.from(cell, (value, i) => {
        const ink = this.glyphs[near[number].which][i];
        return { value, ink, weight: seen[i] / (1 + ((normal[number][i] - ink) / reach) ** 2) };
      }),
    );
    const total = sum(pixels.map(({ weight }) => weight));
    const meanInk = sum(pixels.map(({ weight, ink }) => weight * ink)) / total;
    const mean = sum(pixels.map(({ weight, value }) => weight * value)) / total;
    const spread = sum(pixels.map(({ weight, ink }) => weight * (ink - meanInk) ** 2));
    const common = sum(pixels.map(({ weight, ink, value }) => weight * (ink - meanInk) * (value - mean)));
    const fitted = spread > TINY ? common / spread : contrast;
    return [fitted, mean - fitted * meanInk];
  }

  /** The standard deviation of the noise, by a median: most pixels fit any glyph. */
  noise(normal, near, cells) {
    const rest = cells.flatMap(({ seen }, number) => {
      const glyph = this.glyphs[near[number].which];
      return Array.from(normal[number], (value, i) => Math.abs(value - glyph[i])).filter((_, i) => seen[i]);
    });
    rest.sort((one, other) => one - other);
    return NORMAL * rest[Math.floor((rest.length - 1) / 2)];
  }
}

/** A cell as it would be at a contrast of 1 on a ground of 0. */
function normalised(cell, contrast, ground) {
  const slope = (contrast < 0 ? -1 : 1) * Math.max(Math.abs(contrast), TINY);
  return cell.map((value) => (value - ground) / slope);
}

/** Without the mean over the pixels that are seen; the others are 0. */
function centred(cell, seen) {
  const mean = dot(cell, seen) / Math.max(sum(seen), 1);
  return cell.map((value, i) => (value - mean) * seen[i]);
}

function sum(values) {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function dot(one, other) {
  let total = 0;
  for (let i = 0; i < one.length; i++) total += one[i] * other[i];
  return total;
}

function norm(vector) {
  return Math.sqrt(dot(vector, vector));
}

function clamped(value) {
  return Math.min(Math.max(value, 0), 1);
}
