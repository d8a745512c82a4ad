// What a network was shown, what it was never told, and what it was given.
import { element } from "./element.js";

const NEVER = {
  units: "What a digit is, where one begins, what the operation means, what a carry is.",
  columns: "Which picture means which digit, what the operation means, that there is such a thing as a carry.",
  rows: "Which picture means which digit, the times table, that there are partial products or carries.",
  gates: "Nothing was kept from it.",
};
const GIVEN = {
  units: "The size of the pictures. Nothing else: shuffle their pixels, and it learns the same.",
  columns: "Where the cells stand, that cells at the same place belong together, and that each column may hand "
    + "something on to the next.",
  rows: "Where the cells stand, and the wiring of long multiplication: row by row, each cell reads what is written "
    + "at its place and what was carried to it, and draws both anew.",
  gates: "Everything: it shows that such weights exist, not that they can be learned.",
};

export function showCaptions(box, network, { notation }) {
  const kind = network.own ? "" : network.thinks;
  const count = network.examples.toLocaleString("en");
  const noisy = network.noise ? `, with noise of ${network.noise}` : "";
  const shown = network.trained
    ? `${count} examples${noisy}: the pictures of two numbers, and the picture of the answer.`
    : "No examples. Its weights were set by hand, as in the paper’s proof.";
  const parts = notation === "roman" ? "cells" : "digits";
  const wrong = network.wrong === "0 %" ? `none of its ${parts} was` : `${network.wrong} of its ${parts} were`;
  const tested = network.tested
    ? ` Afterwards, on ${network.tested.toLocaleString("en")} pairs that it had not seen, ${wrong} wrong.`
    : "";
  const tally = notation === "roman" && kind === "columns";
  const given = tally || !GIVEN[kind] ? sentence(network.given) : GIVEN[kind];
  const said = [
    ["What it was shown", shown + tested],
    ["What it was never told", NEVER[kind] ?? "Which picture means which symbol, and what the operation means."],
    ["What it was given", `${given} It has ${network.weights.toLocaleString("en")} weights.`],
  ];
  box.replaceChildren(...said.map(([term, text]) => element(
    "div", {}, element("dt", { textContent: term }), element("dd", { textContent: text }),
  )));
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

/** The numerals and what they are worth, and how the paper writes a 4. */
export function romanKey(alphabet) {
  const worth = [...alphabet.trim()].map((numeral, i) => {
    const value = 10 ** Math.floor(i / 2) * (i % 2 ? 5 : 1);
    return `${numeral}\u00a0${value.toLocaleString("en")}`;
  });
  return `Numerals as in the paper: ${worth.join(", ")}. Those above M are its own. Numbers are written by adding only: `
    + "4 is IIII and 9 is VIIII. Digits work too: type 1666.";
}
