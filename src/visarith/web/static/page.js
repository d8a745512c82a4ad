// The page: its state, what is asked of the engine when something changes, and what is shown of the answer.
import { forget, fromAddress, paintedIn, query, toAddress } from "./address.js";
import { showCaptions, romanKey } from "./captions.js";
import { chips, options } from "./choices.js";
import { engine } from "./engine.js";
import { cellsFor, hasAnswer } from "./engine/layouts.js";
import { startGlance } from "./glance.js";
import { makeInputs } from "./inputs.js";
import { makeLane, sentence } from "./lane.js";
import { bytesOf, pictureOf, withCells } from "./pixels.js";
import { startLearning } from "./learning/section.js";
import { startResults } from "./results.js";
import { startSharing } from "./share.js";
import { startThinking } from "./think.js";
import { startTools } from "./tools.js";

const TESSERACT_AFTER = 450, THINK_AFTER = 200, THINK_UNSEEN = 700, PENDING_AFTER = 120;  // milliseconds without a change
const LONGEST = 16;  // cells that are shown large
const byId = (id) => document.getElementById(id);
const FRESH = { a: "", b: "", op: "", learner: "", against: "", noise: 0, seed: 0, permuted: false, blend: null };

export function start() {
  const offered = engine.learners();
  for (const page of Object.values(offered.pages)) page.inked = page.glyphs.map(bytesOf);
  const state = { ...FRESH, painted: [null, null] };
  const lanes = [makeLane(""), makeLane("-2")];
  byId("lanes").append(lanes[0].box);
  const inputs = makeInputs(offered, state);
  const { operation, network, duelists, page, measure, textOf, changed, plain, clean, unpaint } = inputs;
  const app = { engine, offered, state, lanes, inputs, operation, page, clean, change, choose, show };
  Object.assign(app, { answers: [], afterFirst: [] });

  // Another operation or network. Ink stays only where its picture still means what its field says.
  function choose(op, learner, { fresh = false, step = true } = {}) {
    const before = network()?.page, other = op !== state.op, numbers = [textOf(0), textOf(1)];
    state.op = offered.operations.some((each) => each.op === op) ? op : offered.operations[0].op;
    const { learners, notation, rule } = operation();
    const kin = learner === "columns" && learners.includes("tally") ? "tally" : learner;
    state.learner = learners.includes(kin) ? kin : learners[0];
    if (!learners.includes(state.against) || state.against === state.learner) state.against = "";
    const shape = offered.pages[network().page];
    if (before && before !== network().page) unpaint();
    const about = { page: shape, name: notation, rule };
    const room = network().lengthens || duelists().some((each) => each.lengthens) ? cellsFor(...numbers, about) : shape.cells;
    if (fresh || (other && !hasAnswer(...numbers, room ?? shape.cells, about))) {
      [state.a, state.b] = network().example;
      unpaint();
    }
    measure();
    showChoices();
    app.toolsChanged?.();
    change({ step });
  }
  function showChoices() {
    const { learners, notation, sign } = operation(), titles = learners.map((key) => [key, network(key).title]);
    chips("ops", offered.operations.map((each) => [each.op, each.title]), state.op, (op) => choose(op, state.learner));
    chips("learners", titles, state.learner, (learner) => choose(state.op, learner));
    options(byId("against"), [["", "nobody"], ...titles.filter(([key]) => key !== state.learner)], state.against);
    byId("sign").textContent = sign;
    document.body.classList.toggle("roman", notation === "roman");
    byId("roman-key").hidden = notation !== "roman";
    byId("roman-key").textContent = notation === "roman" ? romanKey(offered.pages[network().page].alphabet) : "";
    showCaptions(byId("captions"), network(), operation());
    const all = duelists();
    if (all[1]) byId("lanes").append(lanes[1].box);
    else lanes[1].box.remove();
    document.body.classList.toggle("dueling", Boolean(all[1]));
    all.forEach((each, i) => { lanes[i].name.textContent = all[1] ? each.title : "The network draws"; });
  }

  // Everything that the address says, of a link or of a step in the history.
  function show(search) {
    const { state: said, wrong } = fromAddress(search);
    Object.assign(state, FRESH, { painted: [null, null] }, said);
    const packed = state.packed ?? [];
    delete state.packed;
    const numbered = said.a !== undefined && said.b !== undefined;
    inputs.restart();
    choose(said.op ?? offered.operations[0].op, said.learner ?? "", { fresh: !numbered, step: false });
    const problems = wrong.map((name) => `“${name}” in this address cannot be used, and was left out`);
    packed.forEach((text, which) => {
      try {
        state.painted[which] = text ? paintedIn(text, plain(which)) : null;
      } catch (error) {
        problems.push(error.message);
      }
    });
    if (state.blend && (state.blend.cell >= page().cells || state.blend.symbol >= page().alphabet.length)) {
      state.blend = null;
      problems.push("“blend” in this address cannot be used, and was left out");
    }
    app.toolsChanged?.();
    change({ quiet: true });
    byId("address-problem").textContent = problems.map(sentence).join(" ");
    byId("address-problem").hidden = !problems.length;
  }

  let serial = 0, running = false, waiting = false, later = [];

  // Ask again; while an answer is on its way, only the latest question is kept.
  function change({ step = false, quiet = false } = {}) {
    if (quiet) forget();
    else toAddress(address, { step });
    learning.show(state.a, state.b);
    serial += 1;
    later.forEach(clearTimeout);
    later = [setTimeout(() => running && lanes.forEach((lane) => lane.stale()), PENDING_AFTER)];
    if (running) waiting = true;
    else ask();
  }
  function address() {
    return query(state, plain);
  }

  async function ask() {
    running = true;
    const mine = serial, all = duelists();
    measure();
    const { op, noise, seed, permuted } = state, base = { op, noise, seed, permuted };
    const questions = all.map(({ learner }) => {
      const asked = { ...base, learner };
      if (!state.painted.some(Boolean) && !state.blend) return { ...asked, a: state.a, b: state.b };
      return { ...asked, pictures: "own" };
    });
    const started = performance.now();
    const answers = await Promise.all(questions.map(async (asked) => {
      try {
        if (!asked.pictures) {
          if (!(state.a.trim() && state.b.trim())) throw new Error("write two numbers");
          return await engine.calculate(asked);
        }
        asked.pictures = [0, 1].map((which) => pictureOf(clean(which), page()));
        return await engine.predict(asked);
      } catch (error) {
        return { refused: error.message };
      }
    }));
    if (mine === serial) showAnswers(answers, performance.now() - started, questions, mine);
    running = false;
    if (waiting) {
      waiting = false;
      ask();
    }
  }

  function showAnswers(answers, milliseconds, questions, mine) {
    app.answers = answers;
    const at = answers.findIndex((answer) => !answer.refused), best = answers[at];
    answers.forEach((answer, i) => {
      if (answer.refused) lanes[i].refuse(answer.refused, { alone: !best });
      else lanes[i].show(answer, withCells(offered.pages[network(answer.learner).page], answer.reading.cells.length));
    });
    showReadings(best, milliseconds);
    app.afterFirst.splice(0).forEach((act) => act());
    if (best) {
      inputs.read = best.inputs.map((input) => input.reading);
      showInputs(best, answers);
    } else {
      showQuestion();
      app.thinkAbout(null);
    }
    app.glance();
    if (!best) return;
    app.asked = questions[at];
    later.push(setTimeout(() => app.thinkAbout(app.asked), app.isWatched ? THINK_AFTER : THINK_UNSEEN));
    const usual = best.answer.width === offered.pages[network(best.learner).page].width;
    if (engine.read && usual) later.push(setTimeout(() => readByTesseract(best, mine), TESSERACT_AFTER));
  }

  // Without an answer: what was typed, and of the pictures those that can be drawn.
  function showQuestion() {
    const { height, width } = page();
    fitPictures([], width);
    for (const [which, id] of ["a", "b"].entries()) {
      if (!changed(which) && byId(id).value !== state[id]) byId(id).value = state[id];
      byId(which ? "seen-b" : "seen-a").textContent = "";
      let bytes = null;
      try {
        bytes = clean(which);
      } catch {
        // its sentence stands where the answer would
      }
      app.showInput(which, pictureOf(bytes ?? new Uint8Array(height * width), { height, width }));
      markInput(which, !bytes);
    }
  }

  // A field that no picture can be drawn of, and that picture.
  function markInput(which, isWrong) {
    const field = byId(which ? "b" : "a");
    field.setAttribute("aria-invalid", String(isWrong));
    field.closest(".line").classList.toggle("blank", isWrong);
  }

  // Long pictures are seen from their right end, where numbers grow and carries begin.
  function fitSheet(width, isLong) {
    const sheet = byId("sheet"), before = sheet.style.getPropertyValue("--columns");
    sheet.style.setProperty("--columns", width);
    document.body.classList.toggle("long", isLong);
    if (isLong && before !== String(width)) byId("scroller").scrollLeft = byId("scroller").scrollWidth;
  }

  // Pictures of different widths, as in a duel, end at the same right edge.
  function fitPictures(answers, width) {
    const widths = answers.map((answer) => answer.answer?.width ?? 0), widest = Math.max(width, ...widths);
    fitSheet(widest, isLong());
    const fit = (picture, own) => { picture.style.width = `${(100 * own) / widest}%`; };
    for (const id of ["picture-a", "picture-b"]) fit(byId(id), width);
    widths.forEach((own, i) => [lanes[i].canvas, lanes[i].digits].forEach((part) => fit(part, own || width)));
  }

  function showInputs(answer, answers) {
    const { width, height } = answer.inputs[0].picture;
    fitPictures(answers, width);
    answer.inputs.forEach((input, which) => {
      const field = byId(which ? "b" : "a"), wanted = changed(which) ? input.reading : which ? state.b : state.a;
      if (field.value !== wanted) field.value = wanted;
      app.showInput(which, input.picture, { height, width });
      markInput(which, false);
      const said = byId(which ? "seen-b" : "seen-a");
      said.textContent = state.permuted ? "Shown as the network sees it, shuffled."
        : changed(which) ? `Changed by hand; templates read ${input.reading || "nothing"} in it.` : "";
    });
  }

  const isLong = () => page().cells > LONGEST && operation().notation !== "roman";

  function showReadings(answer, milliseconds) {
    byId("readings").hidden = !answer;
    byId("templates").textContent = answer ? answer.reading.text || "nothing" : "";
    byId("templates").classList.toggle("wrong", answer?.correct === false);
    byId("truth").textContent = answer ? answer.truth ?? "unknown" : "";
    byId("tesseract").textContent = answer ? "…" : "";
    byId("tesseract").classList.remove("wrong");
    byId("time").textContent = answer ? `${Math.max(1, Math.round(milliseconds))} ms` : "";
    byId("tesseract-line").hidden = !engine.read || Boolean(answer && page().cells > offered.pages[network().page].cells);
  }

  async function readByTesseract(answer, mine) {
    let said;
    try {
      said = await engine.read({ op: answer.op, learner: answer.learner, picture: answer.answer, truth: answer.truth ?? "" });
    } catch (error) {
      said = { text: error.message };
    }
    if (mine !== serial) return;
    byId("tesseract").textContent = said.text || "nothing";
    byId("tesseract").classList.toggle("wrong", answer.truth !== null && said.text !== answer.truth);
  }

  // A number was typed: its picture is typeset again.
  function settle(which, text) {
    state[which ? "b" : "a"] = text;
    state.painted[which] = null;
    if (state.blend?.which === which) state.blend = null;
    app.toolsChanged();
    change();
  }

  for (const [which, id] of ["a", "b"].entries()) byId(id).addEventListener("input", (event) => settle(which, event.target.value));
  byId("against").addEventListener("change", (event) => {
    state.against = event.target.value;
    choose(state.op, state.learner);
  });
  startTools(app);
  startThinking(app);
  startSharing(app);
  startGlance(app);
  const learning = startLearning(byId("learn"), offered.pages.arabic, settle);
  startResults(app);
  show(location.search);
  window.addEventListener("popstate", () => show(location.search));
  document.body.dataset.ready = "true";
}
