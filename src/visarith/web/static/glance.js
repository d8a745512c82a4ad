// On a phone the tools stand below the answer. While they are used, the scene is shown small at the top of the screen.
import { element } from "./element.js";

export function startGlance(app) {
  const box = document.getElementById("glance"), tools = box.parentElement, answers = document.getElementById("lanes");
  const below = matchMedia("(max-width: 60rem)"), seen = new Map();
  const said = element("p");

  const watched = new IntersectionObserver((changes) => {
    for (const { target, isIntersecting } of changes) seen.set(target, isIntersecting);
    place();
  });
  watched.observe(tools);
  watched.observe(answers);
  below.addEventListener("change", place);

  function place() {
    const isAway = seen.get(tools) && !seen.get(answers) && answers.getBoundingClientRect().top < 0;
    box.hidden = !(below.matches && isAway);
    document.documentElement.classList.toggle("glanced", !box.hidden);
    app.glance();
  }

  /** Show the pictures as they are now. */
  app.glance = () => {
    if (box.hidden) return;
    const lanes = app.lanes.filter(({ box: lane }) => lane.isConnected);
    const canvases = [...document.querySelectorAll(".paintable"), ...lanes.map(({ canvas }) => canvas)];
    const verdicts = lanes.map(({ box: lane }) => lane.querySelector(".verdict"));
    const words = new Set(verdicts.map((verdict) => verdict.textContent || "No answer"));
    said.textContent = [...words].join(" · ");
    said.className = words.size > 1 ? "verdict" : verdicts[0].className;
    box.replaceChildren(...canvases.map(copied), said);
  };
}

function copied(canvas) {
  const copy = element("canvas", { width: canvas.width, height: canvas.height });
  if (canvas.width && canvas.height && !canvas.hidden) copy.getContext("2d").drawImage(canvas, 0, 0);
  return copy;
}
