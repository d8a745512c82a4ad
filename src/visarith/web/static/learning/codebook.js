// The distinct cells of pictures, found by comparing pixels: clean pictures repeat them, so each is read only once.

export class Codebook {
  constructor() {
    this.patterns = []; // of bytes
    this.known = new Map(); // from the hash of a cell to the numbers of patterns that have it
  }

  /** The number of the pattern in each cell of a picture of bytes; `places` says where the pixels of each cell are. */
  codes(picture, places) {
    return places.map((where) => this.code(picture, where));
  }

  code(picture, where) {
    let hash = 0x811c9dc5;
    for (let i = 0; i < where.length; i++) hash = Math.imul(hash ^ picture[where[i]], 0x01000193);
    const candidates = this.known.get(hash) ?? [];
    for (const number of candidates) if (isAt(this.patterns[number], picture, where)) return number;
    this.patterns.push(Uint8Array.from(where, (place) => picture[place]));
    this.known.set(hash, [...candidates, this.patterns.length - 1]);
    return this.patterns.length - 1;
  }

  /** A pattern as intensities in [0, 1]. */
  ink(number) {
    return Float64Array.from(this.patterns[number], (byte) => byte / 255);
  }
}

function isAt(pattern, picture, where) {
  for (let i = 0; i < where.length; i++) if (pattern[i] !== picture[where[i]]) return false;
  return true;
}
