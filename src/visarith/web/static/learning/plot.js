// A small plot that grows: one line over the course of training, in SVG, so that its colours follow the page's.

import { element } from "../element.js";

const WIDE = 300;
const HIGH = 90;
const POINTS = 250; // at most, however many values there are

/** `low` and `high` bound the values, on a logarithmic scale if `log`; `id` is that of the last value. */
export function plot({ id, title, low, high, log = false }) {
  const line = drawn("path", { class: "plot-line" });
  const dot = drawn("circle", { class: "plot-dot", r: 3 });
  const ground = drawn("path", { class: "plot-axes", d: `M0 0V${HIGH}H${WIDE}` });
  const picture = drawn("svg", { viewBox: `-2 -4 ${WIDE + 8} ${HIGH + 6}`, role: "img" }, ground, line, dot);
  const value = element("b", { id });
  const scale = (x) => (log ? Math.log(x) : x);
  const top = element("span", { className: "plot-top", textContent: high.toLocaleString("en") });
  const bottom = element("span", { className: "plot-bottom", textContent: low.toLocaleString("en") });
  const area = element("div", { className: "plot-area" }, top, bottom, picture);
  const box = element("figure", { className: "plot" }, element("figcaption", {}, `${title}: `, value), area);

  function at([share, y]) {
    const up = (scale(Math.min(Math.max(y, low), high)) - scale(low)) / (scale(high) - scale(low));
    return [share * WIDE, HIGH * (1 - up)];
  }

  /** Points (share of training, value), and what is said of the last. */
  function show(points, words) {
    const every = Math.ceil(points.length / POINTS);
    const kept = points.filter((_, i) => i === points.length - 1 || i % every === 0).map(at);
    line.setAttribute("d", kept.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""));
    dot.style.display = kept.length ? "" : "none";
    if (kept.length) for (const [i, name] of ["cx", "cy"].entries()) dot.setAttribute(name, kept[kept.length - 1][i]);
    value.textContent = words;
    picture.setAttribute("aria-label", `${title}, now ${words}`);
  }
  return { box, show };
}

function drawn(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
