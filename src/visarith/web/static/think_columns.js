// What is handed from column to column: one frame a column, played or stepped through.
import { element } from "./element.js";
import { drawPicture } from "./pixels.js";

const PARTS = ["label", "above", "carry", "box", "symbol"];
const PACE = 750;  // milliseconds a frame

export function showColumns(box, thoughts, { before }) {
  before?.end();
  const { frames } = thoughts, tally = frames.some((frame) => frame.label);
  const towards = thoughts.from === "left" ? "right" : "left";
  const walk = element("div", { className: `columns${tally ? " tally" : ""} ${towards}` });
  const columns = Array.from({ length: thoughts.columns }, () => {
    const parts = Object.fromEntries(PARTS.map((name) => [name, element("div", { className: name })]));
    const column = element("div", { className: "column" }, ...Object.values(parts));
    parts.carry.setAttribute("aria-hidden", "true");
    parts.label.hidden = !tally;
    walk.append(column);
    return { column, ...parts };
  });
  const last = frames.length;
  const slider = element("input", { type: "range", min: 0, max: last, value: last, "aria-label": "Frame" });
  const back = element("button", { type: "button", textContent: "Step back" });
  const play = element("button", { type: "button", textContent: "Play", id: "play" });
  const step = element("button", { type: "button", textContent: "Step", id: "step" });
  const said = element("p", { className: "said", role: "status" });
  const stage = element("div", { className: "stage", tabIndex: 0, role: "group", "aria-label": "The columns" }, walk);
  box.replaceChildren(stage, element("div", { className: "controls" }, play, back, step, slider), said);

  let at = frames.length, timer = 0;

  function show(number) {
    at = Math.max(0, Math.min(frames.length, number));
    slider.value = at;
    back.disabled = at === 0;
    step.disabled = at === frames.length;
    const now = at ? frames[at - 1] : null;
    columns.forEach((parts, number) => {
      const done = frames.slice(0, at).filter((frame) => frame.column === number);
      const latest = done[done.length - 1], here = now?.row === latest?.row ? latest : null;
      const seen = here ?? frames.find((frame) => frame.column === number && frame.row === (now?.row ?? 0));
      parts.column.classList.toggle("now", Boolean(now) && now.column === number);
      parts.label.textContent = seen?.label ?? "";
      parts.above.textContent = (seen?.above ?? ["", ""]).join("\n");
      parts.carry.replaceChildren(...(here ? [carried(here.hands)] : []));
      parts.symbol.textContent = latest?.symbol ?? "";
      parts.box.replaceChildren();
      if (latest) {
        const canvas = element("canvas", { "aria-hidden": "true" });
        drawPicture(canvas, latest.painted);
        parts.box.append(canvas);
      }
    });
    said.textContent = now ? sentence(frames, at - 1, thoughts, tally) : "Before the first column.";
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }
  play.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    if (at === frames.length) show(0);
    play.textContent = "Pause";
    timer = setInterval(() => {
      show(at + 1);
      if (at === frames.length) stop();
    }, PACE);
  });
  back.addEventListener("click", () => { stop(); show(at - 1); });
  step.addEventListener("click", () => { stop(); show(at + 1); });
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  show(frames.length);
  return { end: stop };
}

function carried(hands) {
  return element("b", { textContent: hands.alone ?? "·", title: handedSaid(hands) });
}

function handedSaid(handed) {
  const state = handed.state === null ? "" : `state ${handed.state}`;
  if (handed.alone === null) return state || "a vector";
  return state && handed.vector.length ? `${handed.alone} (${state})` : handed.alone;
}

function sentence(frames, number, thoughts, tally) {
  const frame = frames[number], place = thoughts.columns - frame.column;
  const made = `draws ${frame.symbol} and hands on ${handedSaid(frame.hands)}.`;
  if (isLong(thoughts)) {
    const stood = number ? frames[number - 1].line[frame.column].trim() : "";
    const met = `${frame.above.join(" by ")}, where ${stood || "nothing"} is written and ${frame.handed.alone} carried`;
    return `Row ${frame.row + 1}, column ${place} from the right: ${met}; draws ${frame.symbol} and carries ${frame.hands.alone}.`;
  }
  const where = tally ? `${frame.label} was counted ${frame.above.join(" and ")} times`
    : `Column ${place} from the right sees ${frame.above.join(" and ")}`;
  return `${where}, is handed ${handedSaid(frame.handed)}, ${made}`;
}

// In long multiplication glyphs are handed on, not vectors.
export function isLong(thoughts) {
  return thoughts.frames.length > 0 && !thoughts.frames[0].handed.vector.length;
}
