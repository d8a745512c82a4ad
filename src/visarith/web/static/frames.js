// Frames to play and to step through: buttons, a slider, a pace, and a sentence for each frame.
import { element } from "./element.js";

const PACE = 650, LONGEST = 25_000;  // milliseconds a frame, and of a whole run

/** Controls for so many frames. `show(number)` draws one and returns its sentence; `before` are the former controls. */
export function player(count, show, { before = null } = {}) {
  before?.end();
  const slider = element("input", { type: "range", min: 0, max: count, value: 0, "aria-label": "Frame" });
  const first = element("button", { type: "button", textContent: "Start", id: "first" });
  const back = element("button", { type: "button", textContent: "Back", id: "back" });
  const play = element("button", { type: "button", textContent: "Play", id: "play" });
  const step = element("button", { type: "button", textContent: "Step", id: "step" });
  const last = element("button", { type: "button", textContent: "End", id: "last" });
  const speed = element("select", { id: "speed", "aria-label": "Speed" },
    ...[["slow", 2], ["normal", 1], ["fast", 0.25]].map(([name, pace]) => new Option(name, String(pace))));
  speed.value = "1";
  const said = element("p", { className: "said", role: "status" });
  const controls = element("div", { className: "controls" }, play, first, back, step, last, slider, speed);
  let at = 0, timer = 0;

  function go(number) {
    at = Math.max(0, Math.min(count, number));
    slider.value = at;
    back.disabled = first.disabled = at === 0;
    step.disabled = last.disabled = at === count;
    said.textContent = show(at);
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
  }
  function start() {
    if (at === count) go(0);
    play.textContent = "Pause";
    const pace = PACE * Number(speed.value), many = Math.max(1, Math.ceil((count * pace) / LONGEST));
    timer = setInterval(() => {
      go(at + many);
      if (at === count) stop();
    }, pace);
  }
  play.addEventListener("click", () => (timer ? stop() : start()));
  speed.addEventListener("change", () => {
    if (!timer) return;
    stop();
    start();
  });
  for (const [button, to] of [[first, () => 0], [back, () => at - 1], [step, () => at + 1], [last, () => count]]) {
    button.addEventListener("click", () => { stop(); go(to()); });
  }
  slider.addEventListener("input", () => { stop(); go(Number(slider.value)); });
  go(0);
  return { controls, said, end: stop };
}
