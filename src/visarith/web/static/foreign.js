// Fit a picture from anywhere into cells, as web/foreign.py does: ink is told from ground, turned upright, parted into
// symbols, and scaled. Each step can be shown.
import { rounded } from "./engine/rounding.js";
import { typeset } from "./pixels.js";
import { levelled } from "./levels.js";
import { scale } from "./scaling.js";

const TALL = 0.5;  // symbols have at least this share of the height of the tallest; commas and specks have not
const OFF = 0.5;  // symbols stand on one line: their middles are at most this share of a height away from it
const TURN = 0.02;  // radians from which a line is turned
const SIDEWAYS = 2;  // a picture is turned by a right angle if its symbols are spread so much more down than across
const OVERLAP = 0.5;  // parts that stand above each other by this share of the narrower are one symbol
const LOW = 5;  // pixels that a line is high at least, so that there is something to read
const WIDE = 1.4;  // a symbol is at most so many times as wide as the line is high
const SHEET = 0.05;  // a sheet on a table has at least this share of a picture,
const FULL = 0.5;  // and fills at least this share of its box, as few digits do

/** A picture { values, width, height } in [0, 1] as bytes for a page. `step(title, picture, boxes)` is told each step. */
export function fit(seen, page, step = () => {}) {
  const { width, height } = seen;
  if (height % page.height === 0 && height * page.width === width * page.height) {
    const mean = seen.values.reduce((sum, value) => sum + value, 0) / seen.values.length;
    const light = mean > 0.5 ? { ...seen, values: seen.values.map((value) => 1 - value) } : seen;
    const whole = new Float64Array(page.height * page.width);
    scale(light, [0, height, 0, width], whole, page, [0, page.height, 0, page.width]);
    return bytes(whole);
  }
  const ink = levelled(seen), sheet = sheetIn(ink);
  const whole = (tell) => {
    tell("ground and light evened out", ink);
    return upright(ink, page, tell);
  };
  if (!sheet) return bytes(whole(step).cells);
  const onSheet = (tell) => {
    tell("a sheet found", seen, [sheet]);
    const part = levelled(cut(seen, sheet));
    tell("ground and light evened out", part);
    return upright(part, page, tell);
  };
  return bytes((surest([onSheet, whole], step) ?? whole(step)).cells);
}

// What the surest of these ways makes, whose steps are told; null if none can be gone.
function surest(ways, step) {
  let best = null;
  for (const way of ways) {
    const told = [];
    try {
      const made = way((...each) => told.push(each));
      if (!best || made.sure > best.sure) best = { ...made, told };
    } catch {
      // another way may do
    }
  }
  best?.told.forEach((each) => step(...each));
  return best;
}

// Turns a picture by a right angle where its symbols stand above each other.
function upright(ink, page, step) {
  const boxes = symbols(ink);
  const spread = (side) => Math.max(...boxes.map((box) => box[side])) - Math.min(...boxes.map((box) => box[side]));
  if (boxes.length < 2 || spread("top") <= SIDEWAYS * spread("left")) return onItsLine(ink, page, step);
  const ways = [1, 3].map((turns) => (tell) => onItsLine(quarter(ink, turns), page, tell));
  return surest(ways, step) ?? ways[0](step);
}

// The largest light sheet on a dark table, which is taken for ink, or null if there is none.
function sheetIn(ink) {
  const sheets = components(ink).filter((box) => {
    const size = tall(box) * across(box);
    return size >= SHEET * ink.values.length && box.inked >= FULL * size;
  });
  return sheets.reduce((one, other) => (one && tall(one) * across(one) >= tall(other) * across(other) ? one : other), null);
}

function cut({ values, width }, { top, bottom, left, right }) {
  const rows = Array.from({ length: bottom - top }, (_, y) => values.subarray((top + y) * width + left, (top + y) * width + right));
  const made = new Float64Array((bottom - top) * (right - left));
  rows.forEach((row, y) => made.set(row, y * (right - left)));
  return { values: made, width: right - left, height: bottom - top };
}

/** The symbols of a line, from the left: what hangs together, without specks and what the border cuts. */
export function symbols(ink) {
  const all = components(ink);
  const whole = all.filter((box) => box.top > 0 && box.bottom < ink.height && box.left > 0 && box.right < ink.width);
  const boxes = whole.length ? whole : all, tallest = Math.max(...boxes.map(tall));
  return boxes.filter((box) => tall(box) >= TALL * tallest).sort((a, b) => a.left - b.left || a.top - b.top);
}

function onItsLine(ink, page, step) {
  let boxes = symbols(ink);
  if (boxes.length > 1) {
    const along = boxes.map((box) => (box.left + box.right) / 2), down = boxes.map(middleOf);
    const x = mean(along), y = mean(down);
    const common = along.reduce((sum, value, i) => sum + (value - x) * (down[i] - y), 0);
    const angle = Math.atan(common / Math.max(along.reduce((sum, value) => sum + (value - x) ** 2, 0), 1e-9));
    if (TURN < Math.abs(angle) && Math.abs(angle) < Math.PI / 4) {
      ink = turned(ink, angle);
      step("turned upright", ink);
      boxes = symbols(ink);
    }
  }
  const middle = boxes.map(middleOf).sort((a, b) => a - b)[boxes.length >> 1], tallest = Math.max(...boxes.map(tall));
  const line = merged(boxes.filter((box) => Math.abs(middleOf(box) - middle) <= OFF * tallest));
  step(`${line.length} symbol${line.length === 1 ? "" : "s"} found`, ink, line);
  if (line.length > page.cells) {
    throw new Error(`a picture cannot be read: it has ${line.length} symbols, and there are ${page.cells} cells`);
  }
  const high = Math.max(...line.map((box) => box.bottom)) - Math.min(...line.map((box) => box.top));
  if (high < LOW) {
    throw new Error(`a picture cannot be read: its symbols are ${high} pixels high; crop it to the number`);
  }
  if (Math.max(...line.map(across)) > WIDE * high) {
    throw new Error("a picture cannot be read: no single digits were found; crop it to one line of print");
  }
  return inCells(ink, line, page);
}

// The parts of one symbol stand above each other.
function merged(boxes) {
  const line = [];
  for (const box of boxes) {
    const last = line[line.length - 1], common = last ? Math.min(last.right, box.right) - box.left : 0;
    if (last && common >= OVERLAP * Math.min(across(last), across(box))) {
      last.top = Math.min(last.top, box.top);
      last.bottom = Math.max(last.bottom, box.bottom);
      last.right = Math.max(last.right, box.right);
    } else line.push({ ...box });
  }
  return line;
}

// Turn about the middle so that a line at this angle becomes level; what comes from outside is 0.
function turned({ values, width, height }, angle) {
  const made = new Float64Array(values.length), cos = Math.cos(angle), sin = Math.sin(angle);
  const at = (y, x) => (y < 0 || x < 0 || y >= height || x >= width ? 0 : values[y * width + x]);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const y = row - (height - 1) / 2, x = column - (width - 1) / 2;
      const across = cos * x - sin * y + (width - 1) / 2, down = sin * x + cos * y + (height - 1) / 2;
      const left = Math.floor(across), top = Math.floor(down), right = across - left, below = down - top;
      const upper = at(top, left) * (1 - right) + at(top, left + 1) * right;
      const lower = at(top + 1, left) * (1 - right) + at(top + 1, left + 1) * right;
      made[row * width + column] = upper * (1 - below) + lower * below;
    }
  }
  return { values: made, width, height };
}

// Quarters of a turn to the left.
function quarter({ values, width, height }, turns) {
  const made = new Float64Array(values.length);
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < height; x++) {
      made[y * height + x] = turns === 1 ? values[x * width + width - 1 - y] : values[(height - 1 - x) * width + y];
    }
  }
  return { values: made, width: height, height: width };
}

// Each in the middle of its cell: digits to the right after zeros, Roman numerals from the left.
function inCells(ink, line, page) {
  const [first, last] = inkedRows(page), begin = Math.min(...line.map((box) => box.top));
  const end = Math.max(...line.map((box) => box.bottom)), digits = page.alphabet.startsWith("0");
  const zeros = digits ? typeset(new Array(page.cells).fill(0), page) : new Uint8Array(page.height * page.width);
  const drawn = Float64Array.from(zeros, (byte) => byte / 255);
  line.forEach((box, number) => {
    const [y, x] = page.corners[(digits ? page.cells - line.length : 0) + number];
    for (let row = y; row < y + page.glyph_height; row++) {
      drawn.fill(0, row * page.width + x, row * page.width + x + page.glyph_width);
    }
    const wide = rounded(((box.right - box.left) * (last - first)) / (end - begin));
    const width = Math.min(page.glyph_width, Math.max(1, wide));
    const left = x + ((page.glyph_width - width) >> 1);
    scale(ink, [begin, end, box.left, box.right], drawn, page, [y + first, y + last, left, left + width]);
  });
  const filled = page.corners.slice(digits ? page.cells - line.length : 0).slice(0, line.length);
  return { cells: drawn, sure: confidence(drawn, filled, page) };
}

function bytes(values) {
  return Uint8Array.from(values, (value) => rounded(255 * Math.min(1, Math.max(0, value))));
}

// How much nearer the cells at these corners are to their glyphs than to the next ones, on average.
function confidence(drawn, corners, page) {
  return mean(corners.map(([top, left]) => {
    const squares = page.inked.map((glyph) => glyph.reduce((sum, ink, i) => {
      const at = (top + Math.floor(i / page.glyph_width)) * page.width + left + (i % page.glyph_width);
      return sum + (drawn[at] - ink / 255) ** 2;
    }, 0)).sort((a, b) => a - b);
    return squares[1] - squares[0];
  }));
}

// Boxes of the ink that hangs together, diagonally too, and how many pixels are inked in each.
function components({ values, width, height }) {
  const free = Uint8Array.from(values, (value) => (value > 0.5 ? 1 : 0)), boxes = [], open = [];
  for (let start = 0; start < free.length; start++) {
    if (!free[start]) continue;
    const box = { top: height, bottom: 0, left: width, right: 0, inked: 0 };
    free[start] = 0;
    open.push(start);
    while (open.length) {
      const at = open.pop(), y = Math.floor(at / width), x = at % width;
      Object.assign(box, {
        top: Math.min(box.top, y), bottom: Math.max(box.bottom, y + 1),
        left: Math.min(box.left, x), right: Math.max(box.right, x + 1), inked: box.inked + 1,
      });
      for (let j = Math.max(0, y - 1); j <= Math.min(height - 1, y + 1); j++) {
        for (let i = Math.max(0, x - 1); i <= Math.min(width - 1, x + 1); i++) {
          if (free[j * width + i]) {
            free[j * width + i] = 0;
            open.push(j * width + i);
          }
        }
      }
    }
    boxes.push(box);
  }
  return boxes;
}

function inkedRows(page) {
  const inked = [];
  for (let y = 0; y < page.glyph_height; y++) {
    const row = (glyph) => glyph.subarray(y * page.glyph_width, (y + 1) * page.glyph_width);
    if (page.inked.some((glyph) => row(glyph).some((byte) => byte > 0))) inked.push(y);
  }
  return [inked[0], inked[inked.length - 1] + 1];
}

const tall = (box) => box.bottom - box.top, across = (box) => box.right - box.left;
const middleOf = (box) => (box.top + box.bottom) / 2;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
