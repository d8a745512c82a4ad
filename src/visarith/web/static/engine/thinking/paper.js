// What a sheet of paper shows of a network at work: the inputs as it saw them, and a frame for each cell that it drew.

export const CLEAR = 0.5; // how sure a drawing must be to be called after a symbol

/** Ink in [0, 1] as bytes. */
export function asBytes(picture) {
  return Uint8Array.from(picture, (ink) => Math.round(255 * Math.min(Math.max(ink, 0), 1)));
}

/** For which symbol the network took each cell of what it was shown; "?" where that cannot be said. */
export function namesSeen(run, given) {
  const perceived = run.perceived(given.seen);
  return given.seen.map((picture, i) => {
    const read = run.readInput(picture);
    return read.symbols.map((symbol, cell) => {
      const seen = perceived?.[i][cell];
      if (seen) return seen.readable ? run.page.alphabet[glyphName(run, seen.which)] : "?";
      return symbol >= 0 && read.confidence[cell] >= CLEAR ? run.page.alphabet[symbol] : "?";
    });
  });
}

// Glyphs that a network found are named after the one of the page that they look most like.
function glyphName({ network, page }, which) {
  network.named ??= new Map();
  if (!network.named.has(which)) {
    const squares = page.patterns.map((pattern) =>
      pattern.reduce((sum, ink, i) => sum + (ink - network.glyphs[which][i]) ** 2, 0),
    );
    network.named.set(which, squares.indexOf(Math.min(...squares)));
  }
  return network.named.get(which);
}

export function paper({ page }, given, frames, from) {
  const { height, width, cells, pitch, left } = page;
  return { kind: "paper", from, cells, pitch, left, height, width, inputs: given.seen.map(asBytes), frames };
}
