// The pictures: two numbers, what is carried between their columns, and the answer that is drawn.

import { element } from "../element.js";
import { draw } from "../pixels.js";

const CARRIED = [255, 212, 121]; // the colour of a carry
const GROUND = [22, 24, 29];

export function stage() {
  const rows = Object.fromEntries(
    [
      ["carried", "carry", "What is carried into each column"],
      ["a", "", "The first number"],
      ["b", "+", "The second number"],
      ["answer", "=", "The answer as it is drawn"],
    ].map(([name, sign, label]) => {
      const canvas = element("canvas", { className: "picture", role: "img", "aria-label": label });
      const mark = element("span", { className: "mark", textContent: sign, "aria-hidden": "true" });
      return [name, { canvas, row: element("div", { className: `learn-row learn-${name}` }, mark, canvas) }];
    }),
  );
  const box = element(
    "div",
    { className: "learn-stage", tabIndex: 0, role: "group", "aria-label": "The sum, drawn by the network" },
    ...Object.values(rows).map(({ row }) => row),
  );

  let cells = 0;

  /** Show two numbers in digits, and what a course of training draws for them now. */
  function show(a, b, { drawn, carried, sums, read }) {
    const { page } = sums;
    for (const [name, digits] of Object.entries({ a, b })) {
      draw(rows[name].canvas, sums.picture(digits), page.height, page.width);
      rows[name].canvas.setAttribute("aria-label", `The number ${digits}`);
    }
    const answer = new Uint8Array(page.pixels);
    drawn.forEach((cell, number) => page.places[number].forEach((place, i) => (answer[place] = 255 * cell[i])));
    draw(rows.answer.canvas, answer, page.height, page.width);
    rows.answer.canvas.setAttribute("aria-label", `The answer as it is drawn; templates read ${read}`);
    drawCarried(rows.carried.canvas, carried, page);
    if (page.cells !== cells) {
      box.style.setProperty("--cells", page.cells);
      box.scrollLeft = box.scrollWidth; // columns are scanned from the right
    }
    cells = page.cells;
  }
  return { box, show };
}

/** Glyphs of half the size, each above the column into which it is carried. */
function drawCarried(canvas, carried, page) {
  Object.assign(canvas, { width: 2 * page.width, height: page.height });
  const pen = canvas.getContext("2d");
  carried.forEach((cell, number) => {
    if (!cell) return;
    const image = new ImageData(page.pitch, page.height);
    cell.forEach((ink, i) => {
      image.data.set([...GROUND.map((dark, part) => dark + ink * (CARRIED[part] - dark)), 255], 4 * i);
    });
    pen.putImageData(image, 2 * (page.left + number * page.pitch) + page.pitch / 2, 0);
  });
}
