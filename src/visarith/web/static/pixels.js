// Pictures as bytes: from and to the engine's JSON, typeset from glyphs, and drawn on canvases.

export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function pictureOf(bytes, page) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { height: page.height, width: page.width, pixels: btoa(text) };
}

/** The same page with so many cells, between the same margins. */
export function withCells(page, cells) {
  if (cells === page.cells) return page;
  const [top, left] = page.corners[0];
  const corners = Array.from({ length: cells }, (_, cell) => [top, left + cell * page.glyph_width]);
  return { ...page, cells, corners, width: page.width + (cells - page.cells) * page.glyph_width };
}

// Symbols (numbers of glyphs, one a cell) as the bytes of a picture.
export function typeset(symbols, page) {
  const bytes = new Uint8Array(page.height * page.width);
  symbols.forEach((symbol, cell) => putGlyph(bytes, page, cell, page.inked[symbol]));
  return bytes;
}

export function putGlyph(bytes, page, cell, glyph) {
  eachPixel(page, cell, (at, i) => { bytes[at] = glyph[i]; });
}

// Every pixel of a cell: its place in the picture, and its number in the glyph.
export function eachPixel(page, cell, use) {
  const [top, left] = page.corners[cell];
  for (let y = 0; y < page.glyph_height; y++) {
    for (let x = 0; x < page.glyph_width; x++) use((top + y) * page.width + left + x, y * page.glyph_width + x);
  }
}

const SLATE = [22, 24, 29], WHITE = [248, 245, 235], AMBER = [255, 184, 92];

/** Ink as colours, from dark slate to warm white, or to amber. */
export function coloured(bytes, height, width, { tint = WHITE, dim = 1 } = {}) {
  const image = new ImageData(width, height), { data } = image;
  for (let i = 0; i < bytes.length; i++) {
    const ink = (bytes[i] / 255) * dim;
    for (let part = 0; part < 3; part++) data[4 * i + part] = SLATE[part] + ink * (tint[part] - SLATE[part]);
    data[4 * i + 3] = 255;
  }
  return image;
}

export const tints = { white: WHITE, amber: AMBER };

export function draw(canvas, bytes, height, width) {
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d").putImageData(coloured(bytes, height, width), 0, 0);
}

export function drawPicture(canvas, picture) {
  draw(canvas, bytesOf(picture.pixels), picture.height, picture.width);
}

// Weights: blue below nothing, orange above.
export function drawSigned(canvas, weights) {
  const bytes = new Int8Array(bytesOf(weights.signed).buffer);
  canvas.width = weights.width;
  canvas.height = weights.height;
  const image = new ImageData(weights.width, weights.height);
  bytes.forEach((value, i) => {
    const much = Math.abs(value) / 127;
    const colour = value > 0 ? [255, 176, 84] : [94, 170, 255];
    image.data.set([...colour.map((part, n) => 22 + n * 3 + much * (part - 22 - n * 3)), 255], 4 * i);
  });
  canvas.getContext("2d").putImageData(image, 0, 0);
}
