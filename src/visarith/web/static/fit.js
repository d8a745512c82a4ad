// A picture of any size becomes one that a network takes, as web/pictures.py does it: light ink on dark ground,
// scaled as a whole if it has the proportions of the page, else symbol by symbol into cells, else its ink centred.
import { typeset } from "./pixels.js";

const MOST_BYTES = 1_000_000, MOST_SIDE = 4000, WORKED_ON = 1000, INK = 0.25, SAME_SHAPE = 0.02;

export async function fitted(file, page) {
  if (file.size > MOST_BYTES) {
    throw new Error(`the picture has ${file.size.toLocaleString("en")} bytes; 1 MB is the most`);
  }
  const head = new DataView(await file.slice(0, 24).arrayBuffer());
  if (head.byteLength < 24 || head.getUint32(0) !== 0x89504e47) throw new Error("that is no PNG; choose a PNG file");
  if (Math.max(head.getUint32(16), head.getUint32(20)) > MOST_SIDE) {
    throw new Error(`the picture is too large; ${MOST_SIDE} x ${MOST_SIDE} pixels are the most`);
  }
  let image;
  try {
    image = await createImageBitmap(file);
  } catch {
    throw new Error("that is no PNG that can be read; choose another file");
  }
  return fit(light(image), page);
}

// Intensities from 0 to 1, light ink on dark ground.
function light(image) {
  const part = Math.ceil(Math.max(image.width, image.height) / WORKED_ON);
  const width = Math.max(1, Math.ceil(image.width / part)), height = Math.max(1, Math.ceil(image.height / part));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0, width, height);
  const { data } = pen.getImageData(0, 0, width, height);
  const greys = [], opaque = [];
  for (let i = 0; i < data.length; i += 4) {
    greys.push((0.299 * data[i] + 0.587 * data[i + 1] + 0.114 * data[i + 2]) / 255);
    opaque.push(data[i + 3] / 255);
  }
  const all = opaque.reduce((a, b) => a + b, 0);
  const inked = greys.reduce((sum, grey, i) => sum + grey * opaque[i], 0);
  const ground = inked < 0.5 * all && opaque.some((each) => each < 0.5) ? 1 : 0;
  let seen = greys.map((grey, i) => grey * opaque[i] + ground * (1 - opaque[i]));
  if (seen.reduce((a, b) => a + b, 0) > seen.length / 2) seen = seen.map((grey) => 1 - grey);
  return { seen, width, height };
}

export function fit({ seen, width, height }, page) {
  const source = { seen, width };
  if (Math.abs((width * page.height) / (height * page.width) - 1) < SAME_SHAPE) {
    const whole = new Uint8Array(page.height * page.width);
    scale(source, 0, height, 0, width, whole, page, 0, page.height, 0, page.width);
    return whole;
  }
  const least = INK * Math.max(...chunked(seen), 1e-6);
  const rows = [], columns = new Array(width).fill(false);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (seen[y * width + x] > least) {
        rows.push(y);
        columns[x] = true;
      }
    }
  }
  const bytes = new Uint8Array(page.height * page.width);
  if (!rows.length) return bytes;
  const top = rows[0], bottom = rows[rows.length - 1] + 1, runs = runsOf(columns);
  const [first, last] = inkedRows(page), high = last - first;
  if (runs.length <= page.cells) return inCells(source, runs, top, bottom, page, first, last);
  const left = runs[0][0], right = runs[runs.length - 1][1];
  const wide = Math.min(page.width, Math.max(1, Math.round(((right - left) * high) / (bottom - top))));
  scale(source, top, bottom, left, right, bytes, page, first, last, (page.width - wide) >> 1, wide);
  return bytes;
}

// Each in the middle of its cell: digits to the right after zeros, Roman numerals from the left.
function inCells(source, runs, top, bottom, page, first, last) {
  const digits = page.alphabet.startsWith("0");
  const bytes = digits ? typeset(new Array(page.cells).fill(0), page) : new Uint8Array(page.height * page.width);
  const begin = digits ? page.cells - runs.length : 0;
  runs.forEach(([a, b], number) => {
    const [y, x] = page.corners[begin + number];
    for (let row = y; row < y + page.glyph_height; row++) {
      bytes.fill(0, row * page.width + x, row * page.width + x + page.glyph_width);
    }
    const wide = Math.min(page.glyph_width, Math.max(1, Math.round(((b - a) * (last - first)) / (bottom - top))));
    scale(source, top, bottom, a, b, bytes, page, first, last, x + ((page.glyph_width - wide) >> 1), wide);
  });
  return bytes;
}

// A part of the source, rows y0 to y1 and columns x0 to x1, into rows top to bottom of the page: means of areas.
function scale(source, y0, y1, x0, x1, bytes, page, top, bottom, left, wide) {
  const down = (y1 - y0) / (bottom - top), across = (x1 - x0) / wide;
  for (let y = top; y < bottom; y++) {
    for (let x = 0; x < wide; x++) {
      const above = y0 + (y - top) * down, before = x0 + x * across;
      const mean = area(source, above, above + down, before, before + across);
      bytes[y * page.width + left + x] = Math.round(255 * Math.min(1, Math.max(0, mean)));
    }
  }
}

function area({ seen, width }, y0, y1, x0, x1) {
  let sum = 0, all = 0;
  for (let y = Math.floor(y0 + 1e-9); y < y1 - 1e-9; y++) {
    const high = Math.min(y + 1, y1) - Math.max(y, y0);
    for (let x = Math.floor(x0 + 1e-9); x < x1 - 1e-9; x++) {
      const part = high * (Math.min(x + 1, x1) - Math.max(x, x0));
      sum += part * seen[y * width + x];
      all += part;
    }
  }
  return all ? sum / all : 0;
}

function runsOf(inked) {
  const runs = [];
  inked.forEach((ink, x) => {
    if (ink && !inked[x - 1]) runs.push([x, x + 1]);
    else if (ink) runs[runs.length - 1][1] = x + 1;
  });
  return runs;
}

function inkedRows(page) {
  const inked = [];
  for (let y = 0; y < page.glyph_height; y++) {
    const row = (glyph) => glyph.subarray(y * page.glyph_width, (y + 1) * page.glyph_width);
    if (page.inked.some((glyph) => row(glyph).some((byte) => byte > 0))) inked.push(y);
  }
  return [inked[0], inked[inked.length - 1] + 1];
}

// Largest numbers of parts, since a call takes only so many arguments.
function chunked(values) {
  const largest = [];
  for (let i = 0; i < values.length; i += 10_000) largest.push(Math.max(...values.slice(i, i + 10_000)));
  return largest;
}
