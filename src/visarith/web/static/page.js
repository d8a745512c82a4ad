// The page: its state, what is asked of the engine when something changes, and what is shown of the answer.
import { fromAddress, toAddress } from "./address.js";
import { showAnswer, showProblem } from "./answer.js";
import { startLearning } from "./learning/section.js";
import { bytesOf, pictureOf, typeset } from "./pixels.js";
import { startResults } from "./results.js";
import { symbolsOf } from "./writing.js";
import { startThinking } from "./think.js";
import { startTools } from "./tools.js";

const TESSERACT_AFTER = 450, THINK_AFTER = 200;  // milliseconds without a change
const byId = (id) => document.getElementById(id);

export async function start(engine) {
  let offered;
  try {
    offered = await engine.learners();
  } catch (error) {
    showProblem(error.message);
    return;
  }
  for (const page of Object.values(offered.pages)) page.inked = page.glyphs.map(bytesOf);
  const state = { noise: 0, seed: 0, permuted: false, painted: [null, null], blend: null, ...fromAddress() };
  const app = { engine, offered, state, operation, network, page, clean, change, choose, answer: null };

  function operation() {
    return offered.operations.find((each) => each.op === state.op);
  }
  function network() {
    return offered.networks.find((each) => each.op === state.op && each.learner === state.learner);
  }
  function page() {
    return offered.pages[network().page];
  }

  // The picture of a number before noise: typeset, or painted; and blended, if it is.
  function clean(which) {
    const bytes = state.painted[which] ? state.painted[which].slice()
      : typeset(symbolsOf(which ? state.b : state.a, page(), operation().notation), page());
    return app.blended ? app.blended(bytes, which) : bytes;
  }

  // Another operation or network: what cannot stay is put right.
  function choose(op, learner, fresh = false) {
    const before = state.op && operation() && network() ? network().page : "";
    if (!offered.operations.some((each) => each.op === op)) op = offered.operations[0].op;
    const other = op !== state.op;
    state.op = op;
    const { learners, example } = operation();
    if (learner === "columns" && learners.includes("tally")) learner = "tally";
    state.learner = learners.includes(learner) ? learner : learners[0];
    if (fresh || (other && !fits())) [state.a, state.b] = example;
    if (before !== network().page) {
      state.painted = [null, null];
      state.blend = null;
    }
    byId("a").value = state.a;
    byId("b").value = state.b;
    document.body.classList.toggle("roman", operation().notation === "roman");
    showChoices();
    app.toolsChanged?.();
    change();
  }

  // Whether the numbers that are there have an answer in this operation.
  function fits() {
    try {
      const [a, b] = [state.a, state.b].map((text) => symbolsOf(text, page(), operation().notation));
      if (operation().notation === "roman") return true;
      const [x, y] = [a, b].map((symbols) => Number(symbols.join("")));
      const answer = { add: x + y, subtract: x - y, multiply: x * y }[operation().operation];
      return answer >= 0 && answer <= operation().limit;
    } catch {
      return false;
    }
  }

  function isNumber(text) {
    try {
      return Boolean(symbolsOf(text, page(), operation().notation));
    } catch {
      return false;
    }
  }

  function showChoices() {
    chips("ops", offered.operations.map((each) => [each.op, each.title]), state.op, (op) => choose(op, state.learner));
    const titles = operation().learners.map((key) => {
      const each = offered.networks.find((net) => net.op === state.op && net.learner === key);
      return [key, each.title];
    });
    chips("learners", titles, state.learner, (learner) => choose(state.op, learner));
    const about = network();
    const error = about.noise ? `, with noise ${about.noise}` : "";
    const wrong = (about.digit_error * 100).toLocaleString("en", { maximumSignificantDigits: 2 });
    const parts = operation().notation === "roman" ? "cells" : "digits";
    const tested = `On 30,000 pairs that it had never seen${error}, ${wrong}\u00a0% of its ${parts} were wrong.`;
    byId("about").textContent = `${sentence(about.described)} ${about.weights.toLocaleString("en")} weights. `
      + (about.learner === "constructed" ? "" : tested);
    byId("sign").textContent = operation().sign;
  }

  let serial = 0, running = false, waiting = false, later = [];

  // Ask again; while an answer is on its way, only the latest question is kept.
  function change() {
    toAddress(state);
    learning.show(state.a, state.b);
    serial += 1;
    later.forEach(clearTimeout);
    later = [];
    if (running) {
      waiting = true;
      return;
    }
    ask();
  }

  function question(pictures) {
    const { op, learner, noise, seed, permuted } = state, asked = { op, learner, noise, seed, permuted };
    return pictures ? { ...asked, pictures } : { ...asked, a: state.a, b: state.b };
  }

  async function ask() {
    running = true;
    const mine = serial;
    try {
      const changed = state.painted.some(Boolean) || state.blend;
      const pictures = changed && [0, 1].map((which) => pictureOf(clean(which), page()));
      if (!pictures && !(state.a.trim() && state.b.trim())) throw new Error("write two numbers");
      const asked = question(pictures);
      const started = performance.now();
      const answer = await (pictures ? engine.predict(asked) : engine.calculate(asked));
      if (mine === serial) {
        app.answer = answer;
        showAnswer(app, answer, performance.now() - started);
        later.push(setTimeout(() => readByTesseract(answer, mine), TESSERACT_AFTER));
        later.push(setTimeout(() => app.thinkAbout(asked), THINK_AFTER));
      }
    } catch (error) {
      if (mine === serial) {
        showProblem(error.message);
        for (const id of ["a", "b"]) byId(id).setAttribute("aria-invalid", String(!isNumber(state[id])));
      }
    }
    running = false;
    if (waiting) {
      waiting = false;
      ask();
    }
  }

  async function readByTesseract(answer, mine) {
    if (!engine.read) return;
    try {
      const reading = await engine.read({ op: answer.op, picture: answer.answer, truth: answer.truth ?? "" });
      if (mine === serial) app.showTesseract(reading, answer);
    } catch (error) {
      if (mine === serial) byId("tesseract").textContent = error.message;
    }
  }

  for (const [which, id] of ["a", "b"].entries()) {
    byId(id).addEventListener("input", (event) => {
      state[id] = event.target.value;
      state.painted[which] = null;
      if (state.blend?.which === which) state.blend = null;
      app.toolsChanged?.();
      change();
    });
  }
  byId("tesseract-line").hidden = !engine.read;
  startTools(app);
  startThinking(app);
  const learning = startLearning(byId("learn"), offered.pages.arabic);
  const asked = { ...state };
  choose(asked.op ?? "add", asked.learner ?? "", asked.a === undefined || asked.b === undefined);
  startResults(app);
  document.body.dataset.ready = "true";
}

function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

// Radio buttons that look like chips.
function chips(id, choices, chosen, choose) {
  const box = byId(id).querySelector(".chips");
  const names = choices.map(([key]) => key).join(" ");
  if (box.dataset.names !== names) {
    box.dataset.names = names;
    box.replaceChildren(...choices.map(([key, title]) => {
      const label = document.createElement("label"), input = document.createElement("input");
      Object.assign(input, { type: "radio", name: id, value: key });
      input.addEventListener("change", () => choose(key));
      const said = document.createElement("span");
      said.textContent = title;
      label.append(input, said);
      return label;
    }));
  }
  for (const input of box.querySelectorAll("input")) input.checked = input.value === chosen;
}
