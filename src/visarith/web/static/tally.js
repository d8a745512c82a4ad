// How a tally works: the numerals of each kind are counted, and what does not fit is handed to the next kind.
import { element } from "./element.js";
import { player } from "./frames.js";
import { drawPicture } from "./pixels.js";

export function showTally(box, thoughts, { before }) {
  const { frames } = thoughts;
  const walk = element("div", { className: "columns" });
  const columns = frames.map(() => {
    const parts = Object.fromEntries(["label", "above", "carry", "box", "symbol"].map((name) => [name, element("div", { className: name })]));
    const column = element("div", { className: "column" }, ...Object.values(parts));
    walk.append(column);
    return { column, ...parts };
  });
  const stage = element("div", { className: "stage", tabIndex: 0, role: "group", "aria-label": "The numerals" }, walk);
  const controls = player(frames.length, (count) => {
    const now = frames[count - 1];
    for (const frame of frames) {
      const parts = columns[frame.column], done = frames.indexOf(frame) < count;
      parts.column.classList.toggle("now", frame === now);
      parts.label.textContent = frame.label;
      parts.above.textContent = frame.above.join("\n");
      parts.symbol.textContent = done ? frame.symbol : "";
      parts.carry.textContent = done && frame.hands.alone && frame.hands.alone !== "0" ? `${frame.hands.alone} more` : "";
      parts.box.replaceChildren();
      if (done) {
        const canvas = element("canvas", { "aria-hidden": "true" });
        drawPicture(canvas, frame.painted);
        parts.box.append(canvas);
      }
    }
    const here = now && columns[now.column].column;
    if (here && stage.scrollWidth > stage.clientWidth) stage.scrollLeft = here.offsetLeft - stage.clientWidth / 2;
    if (!now) return "Before the first numeral. Press Play.";
    const handed = now.handed.alone === "0" ? "nothing" : `${now.handed.alone} more`;
    const hands = !now.hands.alone ? "" : now.hands.alone === "0" ? " and hands nothing on" : ` and hands on ${now.hands.alone} more`;
    return `It counts ${now.label} ${now.above.join(" and ")} times, is handed ${handed}; it writes ${now.symbol}${hands}.`;
  }, { before });
  box.replaceChildren(controls.controls, controls.said, stage);
  stage.scrollLeft = stage.scrollWidth;  // it begins at the right
  return controls;
}
