// "Watch it learn": a network learns to add in the visitor's browser, and draws the visitor's own sum all the while.

import { element } from "../element.js";
import { Course, RECIPE, TESTED } from "./course.js";
import { Loop } from "./loop.js";
import { fill, grouped, SPEEDS } from "./parts.js";
import { showRecording } from "./recording.js";

const LONGEST = 60; // digits
const LONGER = "It learns from sums of seven digits only. In longer ones a carry may get lost on its way, at first.";
const SMOOTHED = 10; // steps
const STILL = 1000; // milliseconds between drawings for those who want less motion
const NEAR = "300px"; // of the screen, where drawing begins
const PROGRESS = 100; // milliseconds between drawings of the plots

/** Fill the section. `layout` is how numbers look; the result shows other numbers with `show(a, b)`. `typed(which, text)`
 *  is told of numbers that are typed here. */
export function startLearning(section, layout, typed) {
  const numbers = { a: "1234567", b: "2345678" };
  const parts = fill(section, TESTED);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const loop = new Loop({ onFrame, onEnd });
  let course, solved, pausing = false, drawn = "", drawnAt = 0, progressAt = 0, inSight = false;

  new IntersectionObserver(([{ isIntersecting }]) => {
    inSight = isIntersecting;
    if (inSight && !loop.playing) requestAnimationFrame(onFrame);
  }, { rootMargin: NEAR }).observe(section);

  function begin() {
    course = new Course(layout, Number(parts.seed.value));
    solved = false;
    drawn = "";
    loop.begin(course.work());
    label();
    draw();
  }

  function onFrame() {
    if (!loop.whole) return;
    if (loop.playing && still.matches && performance.now() - drawnAt < STILL) return;
    draw();
    if (pausing) tell(`Paused after ${grouped(course.shown)} examples: ${tested()}.`);
    pausing = false;
  }

  function onEnd() {
    label();
    tell(`Finished after ${grouped(course.shown)} examples: ${tested()}.`);
  }

  function label() {
    parts.play.textContent = loop.playing ? "Pause" : course.finished ? "Finished" : course.steps ? "Go on" : "Play";
    parts.play.disabled = course.finished && !loop.playing;
  }

  function tell(words) {
    parts.status.textContent = words;
  }

  function tested() {
    const last = course.tests[course.tests.length - 1];
    return last ? `${grouped(last.wrong)} of ${grouped(TESTED)} fresh sums wrong` : "not tested yet";
  }

  /** Draw what has changed, where it is seen; the plots less often than the sum. */
  function draw() {
    drawnAt = performance.now();
    if (inSight) {
      const now = [course.steps, numbers.a, numbers.b].join();
      if (now !== drawn) drawSum();
      drawn = now;
      if (!loop.playing || drawnAt - progressAt > PROGRESS) drawProgress();
    }
    const last = course.tests[course.tests.length - 1];
    if (last?.wrong === 0 && !solved) {
      solved = true;
      const seconds = (loop.spent / 1000).toFixed(0);
      tell(`${tested()} after ${grouped(last.steps * RECIPE.batch)} examples and ${seconds} seconds of training.`);
    }
  }

  function drawSum() {
    const { a, b } = numbers;
    const sum = String(BigInt(a) + BigInt(b));
    const cells = Math.max(layout.cells, sum.length);
    const answer = course.answer(a, b, cells);
    parts.pictures.show(a.padStart(cells, "0"), b.padStart(cells, "0"), answer);
    const right = answer.read === sum.padStart(cells, "0");
    const ending = right ? [", which is the sum."] : [". The sum is ", element("b", { textContent: sum }), "."];
    parts.said.replaceChildren("Templates read ", element("b", { textContent: answer.read }), ...ending);
    parts.said.classList.toggle("right", right);
  }

  function drawProgress() {
    progressAt = performance.now();
    const losses = smoothed(course.losses);
    const last = course.tests[course.tests.length - 1];
    parts.shown.textContent = grouped(course.shown);
    parts.steps.textContent = `${grouped(course.steps)} of ${grouped(RECIPE.steps)}`;
    parts.seconds.textContent = (loop.spent / 1000).toFixed(1);
    const points = losses.map((loss, i) => [(i + 1) / RECIPE.steps, loss]);
    parts.error.show(points, losses.length ? losses[losses.length - 1].toFixed(2) : "–");
    const tests = course.tests.map(({ steps, wrong }) => [steps / RECIPE.steps, wrong]);
    parts.wrong.show(tests, last ? grouped(last.wrong) : "–");
  }

  parts.play.addEventListener("click", () => {
    if (loop.playing) {
      pausing = true;
      loop.pause();
    } else {
      loop.play();
      tell("It learns.");
    }
    label();
  });
  parts.restart.addEventListener("click", restart);
  parts.seed.addEventListener("change", restart);
  for (const [which, name] of ["a", "b"].entries()) {
    parts[name].addEventListener("input", () => typed(which, parts[name].value));
  }
  parts.speed.addEventListener("change", () => loop.pace(SPEEDS[parts.speed.selectedIndex][0]));

  function restart() {
    if (!parts.seed.checkValidity()) {
      tell("A seed is a whole number from 0 to 999,999.");
      return;
    }
    begin();
    tell(`New weights from seed ${Number(parts.seed.value)}.`);
  }

  showRecording(parts.recording, section.dataset.recorded, layout);
  begin();

  /** Draw the sum of other numbers from now on; other text than decimal digits is not shown, and this is said. */
  function show(a, b) {
    const both = [a, b].map((text) => String(text).trim());
    for (const [which, field] of [parts.a, parts.b].entries()) if (field.value.trim() !== both[which]) field.value = both[which];
    const possible = both.every((text) => /^[0-9]+$/.test(text) && text.length <= LONGEST);
    const goesOn = `so it goes on with ${numbers.a} + ${numbers.b}`;
    if (!possible) parts.note.textContent = `This network adds numbers of up to ${LONGEST} decimal digits, ${goesOn}.`;
    if (!possible) return;
    const isLong = Math.max(...both.map((text) => text.length)) > layout.cells;
    parts.note.textContent = isLong ? LONGER : "";
    const [left, right] = both.map((text) => text.replace(/^0+(?=.)/, ""));
    if (left === numbers.a && right === numbers.b) return;
    Object.assign(numbers, { a: left, b: right });
    if (!loop.playing) requestAnimationFrame(onFrame);
  }
  return { show };
}

/** The mean of the last steps, for each step. */
function smoothed(losses) {
  let sum = 0;
  return losses.map((loss, i) => {
    sum += loss - (i >= SMOOTHED ? losses[i - SMOOTHED] : 0);
    return sum / Math.min(i + 1, SMOOTHED);
  });
}
