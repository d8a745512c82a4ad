// The elements of "Watch it learn", made once and put into their section.

import { element } from "../element.js";
import { plot } from "./plot.js";
import { stage } from "./stage.js";

const LEAD = "A column learner with random weights learns to add, here and now, and draws the sum of your numbers all the "
  + "while. Amber is what it carries, as it would draw it in a column of zeros.";
const CAPTIONS = {
  "What it is shown": "Pictures of two numbers and of their sum, 32 new examples a step. It corrects its weights so "
    + "that what it draws differs less from the sum, in squared error of pixels.",
  "What it is never told": "What a digit is, that there are ten, that it is to add, or that anything is to be carried.",
  "What it is given": "Where the cells of a picture are, that cells at the same place form a column, and that a few "
    + "numbers are carried from each column to the next, from the right.",
};
export const SPEEDS = [
  [0.1, "1 step in 10 frames"],
  [1, "1 step a frame"],
  [4, "4 steps a frame"],
  [Infinity, "all steps that fit"],
];
const USUAL = 1; // of the speeds

/** `tested`: how many sums a test has. */
export function fill(section, tested) {
  const play = element("button", { type: "button", className: "primary", id: "learn-play" });
  const restart = element("button", { type: "button", id: "learn-restart", textContent: "Restart" });
  const options = SPEEDS.map(([, textContent]) => element("option", { textContent }));
  const speed = element("select", { id: "learn-speed" }, ...options);
  speed.selectedIndex = USUAL;
  const range = { type: "number", min: 0, max: 999999, step: 1, value: 0, required: true };
  const seed = element("input", { id: "learn-seed", ...range });
  const [a, b] = ["a", "b"].map((name) =>
    element("input", { id: `learn-${name}`, className: "number", autocomplete: "off", spellcheck: false, inputMode: "numeric" }));
  a.setAttribute("aria-label", "First number to add");
  b.setAttribute("aria-label", "Second number to add");
  const status = element("p", { className: "learn-status", id: "learn-status", role: "status" });
  const pictures = stage();
  const said = element("p", { className: "learn-said", id: "learn-said" });
  const note = element("p", { className: "note", id: "learn-note" });
  const error = plot({ id: "learn-error", title: "Squared error of a drawing", low: 0.3, high: 50, log: true });
  const wrong = plot({ id: "learn-wrong", title: `Wrong of ${grouped(tested)} fresh sums`, low: 0, high: tested });
  const [shown, steps, seconds] = ["shown", "steps", "seconds"].map((name) => element("dd", { id: `learn-${name}` }));
  const recording = element("div", { id: "learn-recording" });

  const counts = Object.entries({ Examples: shown, Steps: steps, Seconds: seconds }).map(([textContent, value]) =>
    element("div", {}, element("dt", { textContent }), value));
  const plots = [error.box, wrong.box, element("dl", { className: "learn-counts" }, ...counts)];
  const captions = Object.entries(CAPTIONS).map(([title, text]) =>
    element("div", {}, element("h3", { textContent: title }), element("p", { textContent: text })));
  section.replaceChildren(
    element("h2", { id: "learn-title", textContent: "Watch it learn" }),
    element("p", { className: "note", textContent: LEAD }),
    element("div", { className: "controls" }, play, restart, labelled("Speed", speed), labelled("Seed", seed),
      element("span", { className: "learn-numbers" }, "Add ", a, " + ", b)),
    status,
    element("div", { className: "learn-live" },
      element("div", {}, pictures.box, said, note),
      element("div", { className: "learn-plots" }, ...plots)),
    element("div", { className: "learn-captions" }, ...captions),
    element("h3", { textContent: "The paper’s perceptron, recorded" }),
    recording,
  );
  return { a, b, play, restart, speed, seed, status, pictures, said, note, error, wrong, shown, steps, seconds, recording };
}

function labelled(textContent, field) {
  return element("span", {}, element("label", { textContent, htmlFor: field.id }), " ", field);
}

export function grouped(number) {
  return number.toLocaleString("en");
}
