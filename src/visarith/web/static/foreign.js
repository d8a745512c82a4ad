// Fit a picture from anywhere into cells, as web/foreign.py does: ink is told from ground, turned upright, parted into
// symbols, and scaled. Each step can be shown.
import { rounded } from "./engine/rounding.js";
import { typeset } from "./pixels.js";
import { levelled } from "./levels.js";

const TALL = 0.5;  // symbols have at least this share of the height of the tallest; commas and specks have not
const OFF = 0.5;  // symbols stand on one line: their middles are at most this share of a height away from it
const TURN = 0.02;  // radians from which a line is turned
const SIDEWAYS = 2;  // a picture is turned by a right angle if its symbols are spread so much more down than across
const OVERLAP = 0.5;  // parts that stand above each other by this share of the narrower are one symbol

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
  const ink = levelled(seen);
  step("ground and light evened out", ink);
  const boxes = symbols(ink);
  const spread = (side) => Math.max(...boxes.map((box) => box[side])) - Math.min(...boxes.map((box) => box[side]));
  if (boxes.length > 1 && spread("top") > SIDEWAYS * spread("left")) {
    const ways = [1, 3].map((turns) => {
      const told = [];
      const cells = onItsLine(quarter(ink, turns), page, (...each) => told.push(each));
      return { cells, told };
    });
    const [one, other] = ways.map(({ cells }) => confidence(cells, page));
    const best = other > one ? ways[1] : ways[0];
    best.told.forEach((each) => step(...each));
    return bytes(best.cells);
  }
  return bytes(onItsLine(ink, page, step));
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
    const across = boxes.map((box) => (box.left + box.right) / 2), down = boxes.map(middleOf);
    const x = mean(across), y = mean(down);
    const common = across.reduce((sum, value, i) => sum + (value - x) * (down[i] - y), 0);
    const angle = Math.atan(common / Math.max(across.reduce((sum, value) => sum + (value - x) ** 2, 0), 1e-9));
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
  return inCells(ink, line, page);
}

// The parts of one symbol stand above each other.
function merged(boxes) {
  const line = [];
  for (const box of boxes) {
    const last = line[line.length - 1], common = last ? Math.min(last.right, box.right) - box.left : 0;
    if (last && common >= OVERLAP * Math.min(last.right - last.left, box.right - box.left)) {
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
  return drawn;
}

function bytes(values) {
  return Uint8Array.from(values, (value) => rounded(255 * Math.min(1, Math.max(0, value))));
}

// How much nearer each cell is to its glyph than to the next one, on average.
function confidence(drawn, page) {
  return mean(page.corners.map(([top, left]) => {
    const squares = page.inked.map((glyph) => glyph.reduce((sum, ink, i) => {
      const at = (top + Math.floor(i / page.glyph_width)) * page.width + left + (i % page.glyph_width);
      return sum + (drawn[at] - ink / 255) ** 2;
    }, 0)).sort((a, b) => a - b);
    return squares[1] - squares[0];
  }));
}

// A part of the source into a part of the page, each top, bottom, left and right: means of areas.
function scale({ values, width }, [y0, y1, x0, x1], made, page, [top, bottom, left, right]) {
  const down = (y1 - y0) / (bottom - top), across = (x1 - x0) / (right - left);
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const above = y0 + (y - top) * down, before = x0 + (x - left) * across;
      made[y * page.width + x] = area(values, width, above, above + down, before, before + across);
    }
  }
}

function area(values, width, y0, y1, x0, x1) {
  let sum = 0, all = 0;
  for (let y = Math.floor(y0 + 1e-9); y < y1 - 1e-9; y++) {
    const high = Math.min(y + 1, y1) - Math.max(y, y0);
    for (let x = Math.floor(x0 + 1e-9); x < x1 - 1e-9; x++) {
      const part = high * (Math.min(x + 1, x1) - Math.max(x, x0));
      sum += part * values[y * width + x];
      all += part;
    }
  }
  return all ? sum / all : 0;
}

// Boxes of the ink that hangs together, diagonally too.
function components({ values, width, height }) {
  const free = Uint8Array.from(values, (value) => (value > 0.5 ? 1 : 0)), boxes = [], open = [];
  for (let start = 0; start < free.length; start++) {
    if (!free[start]) continue;
    const box = { top: height, bottom: 0, left: width, right: 0 };
    free[start] = 0;
    open.push(start);
    while (open.length) {
      const at = open.pop(), y = Math.floor(at / width), x = at % width;
      Object.assign(box, {
        top: Math.min(box.top, y), bottom: Math.max(box.bottom, y + 1),
        left: Math.min(box.left, x), right: Math.max(box.right, x + 1),
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

const tall = (box) => box.bottom - box.top, middleOf = (box) => (box.top + box.bottom) / 2;
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
