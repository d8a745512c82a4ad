// A network at work on paper, drawn on one canvas: both numbers as it saw them, then the rows that it writes, with what
// it carries above the cell that reads it. Every picture of a digit here was shown to the network or drawn by it.
import { coloured, tints } from "./pixels.js";

const GAP = 2, RULE = 2, MARGIN = 10, CARRY = 12;  // in pixels of the network's pictures
const GROUND = "#16181d", LINE = "#5b5f6a", NOW = "#ffb85c";

/** How large the paper of these thoughts is, in pixels of the network's pictures. */
export function sizeOf(thoughts) {
  const rows = rowsOf(thoughts), one = thoughts.height + GAP;
  return { width: thoughts.width + 2 * MARGIN, height: 2 * one + RULE + 2 * GAP + rows.length * (CARRY + one) + GAP };
}

function rowsOf({ frames }) {
  return [...new Set(frames.map((frame) => frame.row))];
}

/** Draw the paper after so many frames. `scale` is how many pixels of the canvas one pixel of a picture takes. */
export function drawPaper(canvas, thoughts, count, { scale = 1, sign = "" } = {}) {
  const { height, width, pitch, left, inputs, frames } = thoughts, size = sizeOf(thoughts), one = height + GAP;
  if (canvas.width !== size.width * scale || canvas.height !== size.height * scale) {
    canvas.width = size.width * scale;
    canvas.height = size.height * scale;
  }
  const pen = canvas.getContext("2d"), rows = rowsOf(thoughts);
  pen.imageSmoothingEnabled = false;
  pen.fillStyle = GROUND;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  const put = (bytes, wide, x, y, look) => pen.drawImage(picture(bytes, wide, height, look), x * scale, y * scale, wide * scale, height * scale);
  const now = frames[count - 1], atColumn = (column) => MARGIN + left + pitch * column;
  inputs.forEach((bytes, which) => put(bytes, width, MARGIN, GAP + which * one));
  if (sign) {
    pen.fillStyle = "#f2f1ec";
    pen.font = `${Math.round(9 * scale)}px ui-monospace, monospace`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(sign, (MARGIN / 2 + 1) * scale, (GAP + one + height / 2) * scale);
  }
  const begin = 2 * one + GAP;
  pen.fillStyle = LINE;
  pen.fillRect(2 * scale, begin * scale, (size.width - 4) * scale, Math.max(1, RULE * scale * 0.5));
  const top = (row) => begin + RULE + GAP + rows.indexOf(row) * (CARRY + one);
  const written = new Map();  // column: the frame that wrote it last
  for (const row of rows) {
    const own = frames.slice(0, count).filter((frame) => frame.row === row);
    if (!own.length) break;
    for (const frame of own) {  // the empty rows below a carry lie under the cell that reads it
      if (frame.hands.picture && frame.after !== null) {
        const late = frame === now ? 1 : 0.85;
        put(frame.hands.picture, pitch, atColumn(frame.after), top(row), { tint: tints.amber, dim: late });
      }
      written.set(frame.column, frame);
    }
    for (const [column, frame] of written) {  // what stood there before stays, a little dimmer
      put(frame.painted, pitch, atColumn(column), top(row) + CARRY, { dim: frame.row === row ? 1 : 0.45 });
    }
  }
  if (!now) return;
  pen.strokeStyle = NOW;
  pen.lineWidth = Math.max(1, scale * 0.5);
  const frame = (column, y) => pen.strokeRect(atColumn(column) * scale, y * scale - pen.lineWidth, pitch * scale, height * scale + 2 * pen.lineWidth);
  frame(now.column, top(now.row) + CARRY);
  const last = thoughts.cells - 1;
  const [one_, other] = thoughts.long ? [now.column + now.row, last - now.row] : [now.column, now.column];
  frame(one_, GAP);
  frame(other, GAP + one);
}

/** Where the cell stands that was drawn last, in pixels of the network's pictures. */
export function placeOf(thoughts, count) {
  const now = thoughts.frames[Math.max(0, count - 1)], row = rowsOf(thoughts).indexOf(now.row), one = thoughts.height + GAP;
  return { x: MARGIN + thoughts.left + thoughts.pitch * now.column, y: 3 * GAP + 2 * one + row * (CARRY + one) + CARRY };
}

const kept = new WeakMap();  // pictures as canvases, by their bytes and look

function picture(bytes, width, height, { tint = tints.white, dim = 1 } = {}) {
  const looks = kept.get(bytes) ?? new Map(), name = `${tint} ${dim}`;
  kept.set(bytes, looks);
  if (!looks.has(name)) {
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    canvas.getContext("2d").putImageData(coloured(bytes, height, width, { tint, dim }), 0, 0);
    looks.set(name, canvas);
  }
  return looks.get(name);
}
