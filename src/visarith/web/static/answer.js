// What is shown of an answer: the pictures, each digit with its confidence, and whether it is right.
import { drawPicture } from "./pixels.js";

const byId = (id) => document.getElementById(id);

export function showAnswer(app, answer, milliseconds) {
  const page = app.page();
  byId("problem").hidden = true;
  for (const id of ["a", "b"]) byId(id).removeAttribute("aria-invalid");
  document.querySelectorAll(".stale").forEach((each) => each.classList.remove("stale"));
  answer.inputs.forEach((input, which) => {
    app.showInput(which, input.picture);
    byId(which ? "seen-b" : "seen-a").textContent = seenLine(app, input, which);
  });
  drawPicture(byId("answer"), answer.answer);
  const read = answer.reading.text || "nothing";
  byId("answer").setAttribute("aria-label", `The answer picture, in which templates read ${read}`);
  showDigits(answer.reading.cells, page);
  showVerdict(answer);
  byId("templates").textContent = read;
  byId("templates").classList.toggle("wrong", answer.correct === false);
  byId("truth").textContent = answer.truth ?? "unknown";
  byId("tesseract").textContent = "…";
  byId("tesseract").classList.remove("wrong");
  byId("time").textContent = `${Math.max(1, Math.round(milliseconds))} ms`;
  byId("warning").textContent = answer.warning ? `${answer.warning[0].toUpperCase()}${answer.warning.slice(1)}.` : "";
  byId("warning").hidden = !answer.warning;
  app.showTesseract = (reading, about) => {
    byId("tesseract").textContent = reading.text || "nothing";
    byId("tesseract").classList.toggle("wrong", about.truth !== null && reading.text !== about.truth);
  };
}

// What the network sees, where that is not simply the number above.
function seenLine(app, input, which) {
  const { painted, blend, permuted } = app.state;
  if (permuted) return "Shown as the network sees it, permuted.";
  const changed = painted[which] || blend?.which === which;
  return changed ? `Changed by hand; templates read ${input.reading || "nothing"} in it.` : "";
}

function showDigits(cells, page) {
  byId("digits").replaceChildren(...cells.map((cell, number) => {
    const item = document.createElement("li");
    const blank = cell.symbol === " ", sure = Math.round(cell.confidence * 100);
    item.style.left = `${(100 * page.corners[number][1]) / page.width}%`;
    item.style.width = `${(100 * page.glyph_width) / page.width}%`;
    item.className = cell.right === null ? "" : cell.right ? "right" : "wrong";
    item.title = `${blank ? "blank" : cell.symbol}, ${sure} % sure`;
    const mark = blank && cell.right ? "" : { true: "✓", false: "✗" }[cell.right] ?? "";
    item.append(part("symbol", blank ? "·" : cell.symbol), part("mark", mark));
    const bar = part("bar", ""), filled = document.createElement("i");
    filled.style.width = `${sure}%`;
    bar.append(filled);
    item.append(bar, part("sure", `${sure}`));
    return item;
  }));
}

function part(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}

/** "first number, digits 2 and 3; second number, digit 1", or "" if all can be read. */
function unreadable(answer) {
  const what = answer.op === "roman" ? "cell" : "digit";
  return (answer.unreadable ?? [])
    .map((cells, which) => {
      const places = cells.map((cell) => cell + 1).join(", ");
      return cells.length ? `${which ? "second" : "first"} number, ${what}${cells.length > 1 ? "s" : ""} ${places}` : "";
    })
    .filter(Boolean)
    .join("; ");
}

function showVerdict(answer) {
  const verdict = byId("verdict"), wrong = answer.reading.cells.filter((cell) => cell.right === false).length;
  verdict.className = "verdict";
  if (unreadable(answer)) {
    verdict.classList.add("wrong");
    verdict.textContent = `Unreadable: ${unreadable(answer)}`;
    return;
  }
  if (answer.correct === null) {
    verdict.textContent = "No truth to compare with";
    return;
  }
  verdict.classList.add(answer.correct ? "right" : "wrong");
  const what = answer.op === "roman" ? "cells" : "digits";
  verdict.textContent = answer.correct ? "Right" : `Wrong in ${wrong} of ${answer.reading.cells.length} ${what}`;
}

// One sentence about what cannot be asked; what stands there is no longer the answer.
export function showProblem(message) {
  byId("problem").textContent = `${message[0].toUpperCase()}${message.slice(1)}.`;
  byId("problem").hidden = false;
  byId("warning").hidden = true;
  for (const id of ["answer", "digits", "verdict", "templates", "tesseract", "truth"]) byId(id).classList.add("stale");
  byId("verdict").textContent = "";
  byId("verdict").className = "verdict";
}
