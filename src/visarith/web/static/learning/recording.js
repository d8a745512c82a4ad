// The perceptron is too slow to train here. These are pictures that it drew during a training in Python.

import { element } from "../element.js";
import { taken } from "../networks/page.js";
import { bytesOf, draw } from "../pixels.js";
import { grouped } from "./parts.js";
import { Sums } from "./sums.js";

const PACE = 900; // milliseconds a checkpoint

/** Show the recording that the script at `address` holds, once `box` comes near; `layout` is how numbers look. */
export function showRecording(box, address, layout) {
  const near = new IntersectionObserver(
    async (seen) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      near.disconnect();
      try {
        present(box, await load(address), new Sums(layout));
      } catch (error) {
        box.append(element("p", { className: "problem", textContent: error.message }));
      }
    },
    { rootMargin: "300px" },
  );
  near.observe(box);
}

/** A script and not JSON: pages that were opened from a disk may load nothing else. */
function load(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve(globalThis.visarithRecorded);
    script.onerror = () => reject(new Error(`The recording ${address} cannot be loaded.`));
    document.head.append(script);
  });
}

function present(box, { command, seed, pairs, tested, height, width, checkpoints }, sums) {
  const last = checkpoints.length - 1;
  const canvases = pairs.map(() => element("canvas", { className: "picture", role: "img" }));
  const readings = pairs.map(() => element("span"));
  const figures = pairs.map((pair, number) => {
    const caption = element("figcaption", {}, `${pair.join(" + ")} `, readings[number]);
    return element("figure", {}, canvases[number], caption);
  });
  const play = element("button", { type: "button", textContent: "Play the recording" });
  const slider = element("input", { type: "range", min: 0, max: last, value: last, "aria-label": "Checkpoint" });
  const said = element("p", { className: "learn-said" });
  let timer = 0;

  function show(number) {
    const { examples, epoch, wrong, pictures } = checkpoints[number];
    const bytes = bytesOf(pictures);
    const size = height * width;
    canvases.forEach((canvas, pair) => {
      const picture = bytes.subarray(pair * size, (pair + 1) * size);
      draw(canvas, picture, height, width);
      const read = sums.read(sums.page.places.map((where) => taken(picture, where).map((byte) => byte / 255)));
      const right = Number(read) === pairs[pair][0] + pairs[pair][1];
      readings[pair].textContent = `read as ${read}: ${right ? "right" : "wrong"}`;
      readings[pair].className = right ? "right" : "wrong";
      canvas.setAttribute("aria-label", `Drawn for ${pairs[pair].join(" + ")} after ${grouped(examples)} examples`);
    });
    const when = epoch ? ` (${epoch} ${epoch === 1 ? "epoch" : "epochs"})` : "";
    const score = `${grouped(wrong)} of ${grouped(tested)} test sums wrong`;
    said.textContent = `After ${grouped(examples)} examples${when}: ${score}.`;
    slider.value = number;
    slider.setAttribute("aria-valuetext", said.textContent);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play the recording";
  }
  play.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    if (Number(slider.value) === last) show(0);
    play.textContent = "Pause the recording";
    timer = setInterval(() => {
      show(Number(slider.value) + 1);
      if (Number(slider.value) === last) stop();
    }, PACE);
  });
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  const made = element("p", { className: "note" });
  made.append("Recorded, not live: checkpoints of ", element("code", { textContent: command }));
  made.append(` with seed ${seed}. None of these pairs was among its 150,000 examples.`);
  const controls = element("div", { className: "controls" }, play, slider);
  box.append(made, element("div", { className: "learn-recorded" }, ...figures), controls, said);
  show(last);
}
