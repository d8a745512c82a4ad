// Pictures as JSON, both ways: base64 of one byte a pixel.

import { rounded } from "./rounding.js";

/** A picture in [0, 1] as JSON. */
export function encoded(picture, height, width) {
  const bytes = Uint8Array.from(picture, (ink) => rounded(255 * Math.min(Math.max(ink, 0), 1)));
  return { height, width, pixels: text(bytes) };
}

/** Weights as JSON: signed bytes, of which 127 stands for the largest. */
export function signed(weights, height, width) {
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) || 1;
  const bytes = Int8Array.from(weights, (weight) => rounded((weight / largest) * 127));
  return { height, width, signed: text(new Uint8Array(bytes.buffer)), largest };
}

/** A picture in [0, 1] from its JSON, which must fit the page. */
export function decoded({ pixels, height, width }, page) {
  if (height !== page.height || width !== page.width)
    throw new Error(`a picture is ${height} x ${width}; this network takes ${page.height} x ${page.width}`);
  const bytes = fromBase64(pixels);
  if (bytes.length !== height * width)
    throw new Error(`pixels are ${bytes.length} bytes; ${height} x ${width} needs ${height * width}`);
  return Float32Array.from(bytes, (byte) => byte / 255);
}

function fromBase64(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error("a picture is not base64; encode its bytes as base64 without line breaks");
  }
}

function text(bytes) {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}
