// A lane: the answer picture of one network, each digit with its confidence, and whether it is right.
import { element } from "./element.js";
import { drawPicture } from "./pixels.js";

const CLEAR = 0.5;  // a digit that is drawn less surely is called illegible

/** `suffix` is "" for the first lane and "-2" for that of a duel. */
export function makeLane(suffix) {
  const name = element("p", { className: "lane-name", id: `name${suffix}` });
  const verdict = element("p", { className: "verdict", id: `verdict${suffix}`, role: "status" });
  const canvas = element("canvas", { className: "picture", id: `answer${suffix}`, role: "img", "aria-label": "The answer", hidden: true });
  const digits = element("ol", { className: "digits", id: `digits${suffix}`, "aria-label": "What is read, cell by cell", hidden: true });
  const problem = element("p", { className: "problem", id: `problem${suffix}`, role: "alert", hidden: true });
  const warning = element("p", { className: "warning", id: `warning${suffix}`, hidden: true });
  const box = element(
    "div", { className: "line answer" },
    element("div", { className: "field" }, name, verdict), problem, warning, canvas, digits,
  );

  function show(answer, page) {
    box.classList.remove("stale");
    problem.hidden = true;
    canvas.hidden = digits.hidden = false;
    drawPicture(canvas, answer.answer);
    const read = answer.reading.text || "nothing";
    canvas.setAttribute("aria-label", `The answer picture, in which templates read ${read}`);
    showDigits(digits, answer.reading.cells, page);
    const { kind, text } = judged(answer);
    verdict.className = `verdict ${kind}`;
    verdict.textContent = text;
    warning.textContent = sentence(answer.warning);
    warning.hidden = !answer.warning;
  }

  /** One sentence about what cannot be asked; what stands there is no longer the answer. */
  function refuse(message, { alone }) {
    const plain = message.replace(" in base 10; write it with 0123456789", "; write it with the digits 0 to 9");
    const named = plain.replace(/^[ab] (?=has|is)/, (name) => (name === "a " ? "the first number " : "the second number "));
    problem.textContent = sentence(named);
    problem.hidden = false;
    if (!alone) canvas.hidden = digits.hidden = true;
    stale();
    warning.hidden = true;
  }

  function stale() {
    box.classList.add("stale");
    verdict.className = "verdict";
    verdict.textContent = "";
  }

  return { box, name, canvas, digits, show, refuse, stale };
}

// The elements of cells are kept, and only what differs is written: long numbers have many.
function showDigits(list, cells, page) {
  const shape = `${cells.length} ${page.width}`;
  if (list.dataset.shape !== shape) {
    list.dataset.shape = shape;
    list.replaceChildren(...cells.map((_, number) => {
      const item = element("li", {}, part("symbol"), part("mark"), part("sure"));
      item.style.left = `${(100 * page.corners[number][1]) / page.width}%`;
      item.style.width = `${(100 * page.glyph_width) / page.width}%`;
      return item;
    }));
  }
  cells.forEach((cell, number) => {
    const blank = cell.symbol === " ", sure = Math.round(cell.confidence * 100), clear = cell.confidence >= CLEAR;
    const state = cell.right === null ? "" : cell.right && clear ? "right" : cell.right ? "unsure" : "wrong";
    const mark = blank && cell.right ? "" : { right: "✓", wrong: "✗", unsure: "?" }[state] ?? "";
    const item = list.children[number], texts = [blank ? "·" : cell.symbol, mark, `${sure}`], all = [state, ...texts].join();
    if (item.dataset.shown === all) return;
    item.dataset.shown = all;
    item.className = state;
    item.title = `${blank ? "blank" : cell.symbol}, ${sure} % sure`;
    texts.forEach((text, i) => { item.children[i].textContent = text; });
  });
}

function part(className) {
  return element("span", { className });
}

export function sentence(text) {
  return text && `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** The verdict, in words. Nothing is right or wrong about inputs that cannot be read. */
export function judged(answer) {
  const { cells } = answer.reading, what = answer.op === "roman" ? "cell" : "digit";
  const illegible = unreadable(answer, what);
  if (illegible) return { kind: "unsure", text: `Illegible: ${illegible}` };
  if (answer.correct === null) return { kind: "", text: "No truth to compare with" };
  const wrong = cells.filter((cell) => !cell.right).length;
  if (wrong) return { kind: "wrong", text: `Wrong in ${wrong} of ${cells.length} ${what}s` };
  const unsure = cells.filter((cell) => cell.confidence < CLEAR).length;
  if (unsure) return { kind: "unsure", text: `Drawn illegibly in ${unsure} of ${cells.length} ${what}s` };
  return { kind: "right", text: "Right" };
}

/** "first number, digits 2 and 3; second number, digit 1", or "" if all can be read. */
function unreadable(answer, what) {
  return answer.unreadable
    .map((cells, which) => {
      const number = which ? "second number" : "first number";
      if (cells.length === answer.reading.cells.length) return `all of the ${number}`;
      const places = cells.slice(0, 4).map((cell) => cell + 1).join(", ") + (cells.length > 4 ? " …" : "");
      return cells.length ? `${number}, ${what}${cells.length > 1 ? "s" : ""} ${places}` : "";
    })
    .filter(Boolean)
    .join("; ");
}
