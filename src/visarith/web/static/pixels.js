// Pictures as bytes: from and to the engine's JSON, typeset from glyphs, and drawn on canvases.

export function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function pictureOf(bytes, page) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return { height: page.height, width: page.width, pixels: btoa(text) };
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

export function draw(canvas, bytes, height, width) {
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(width, height);
  for (let i = 0; i < bytes.length; i++) {
    const ink = bytes[i] / 255;  // from the page's dark slate to warm white
    image.data.set([22 + ink * 226, 24 + ink * 221, 29 + ink * 206, 255], 4 * i);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
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
