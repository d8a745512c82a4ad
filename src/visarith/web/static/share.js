// Share the scene: the link, a picture of it, and a short animation of the network at work.
import { gif } from "./gif.js";
import { judged } from "./lane.js";
import { drawPaper, sizeOf } from "./paper.js";

const byId = (id) => document.getElementById(id);
const WIDE = 1200, EDGE = 48, MOST_FRAMES = 60, MOST_PIXELS = 900_000, SHORT = 20;
const COLOURS = { right: "#8fe0b0", wrong: "#ffb3ac", unsure: "#ffd98a" }, GREY = "#a9abb3", GROUND = "#16181d", AMBER = "#ffb85c";

export function startSharing(app) {
  const said = byId("share-said");
  const working = (button, work) => byId(button).addEventListener("click", async () => {
    said.textContent = "…";
    try {
      said.textContent = await work();
    } catch (error) {
      said.textContent = `${error.message}.`;
    }
  });

  working("share-link", async () => {
    app.change({ step: true });  // the address may be a moment behind
    try {
      await navigator.clipboard.writeText(location.href);
      return "The link is on the clipboard.";
    } catch {
      return `Copy it from the address bar: this browser keeps the clipboard closed.`;
    }
  });
  working("share-png", async () => {
    const canvas = scene(app);
    if (!canvas) throw new Error("There is no answer to share");
    save(await new Promise((made) => canvas.toBlob(made, "image/png")), "visarith.png");
    return "Saved as visarith.png.";
  });
  working("share-gif", async () => {
    if (!scene(app)) throw new Error("There is no answer to share");
    await app.thinkAbout(app.asked);  // what is shown may be a moment behind
    const thoughts = app.thoughts();
    const onPaper = thoughts?.kind === "paper" && !app.answers[1];
    save(onPaper ? animation(thoughts, app.operation().sign) : uncovered(app), "visarith.gif");
    return onPaper ? "Saved as visarith.gif: the network at work, cell by cell." : "Saved as visarith.gif: the question, then the answer.";
  });
}

function save(blob, name) {
  const address = URL.createObjectURL(blob), link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Both pictures, the first answers (all, if no number is given), and what is true of them; null if there is none. */
export function scene(app, { first = Infinity, wide: width = WIDE, colours = COLOURS } = {}) {
  const answered = app.answers.map((answer, i) => ({ answer, lane: app.lanes[i] })).filter(({ answer }) => !answer.refused);
  if (!answered.length) return null;
  const inputs = [byId("picture-a"), byId("picture-b")], wide = WIDE - 3 * EDGE, left = 2 * EDGE;
  const high = (canvas) => Math.round((canvas.height / canvas.width) * wide);
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), scale = width / WIDE;
  const total = EDGE + 2 * (high(inputs[0]) + 12) + answered.reduce((sum, { lane }) => sum + high(lane.canvas) + 64, 24) + 56;
  canvas.width = width;
  canvas.height = Math.round(total * scale);
  pen.scale(scale, scale);
  pen.imageSmoothingEnabled = false;
  pen.fillStyle = GROUND;
  pen.fillRect(0, 0, WIDE, total);
  pen.textBaseline = "middle";
  let y = EDGE;
  const written = (text, x, at, font, colour) => {
    pen.font = font;
    pen.fillStyle = colour;
    pen.fillText(text, x, at, wide);
  };
  for (const [which, input] of inputs.entries()) {
    pen.drawImage(input, left, y, wide, high(input));
    if (which) written(app.operation().sign, EDGE * 0.6, y + high(input) / 2, "64px ui-monospace, monospace", "#f8f5eb");
    y += high(input) + 12;
  }
  pen.fillStyle = "#5b5f6a";
  pen.fillRect(EDGE * 0.6, y, left + wide - EDGE * 0.6, 3);
  y += 24;
  for (const [number, { answer, lane }] of answered.entries()) {
    const { kind, text } = judged(answer), below = y + high(lane.canvas) + 30;
    if (number < first) {
      pen.drawImage(lane.canvas, left, y, wide, high(lane.canvas));
      written(`${named(app, answer)} ${text}`, left, below, "600 28px system-ui, sans-serif", colours[kind] ?? GREY);
    } else written(`${titled(app, answer)}: …`, left, below, "600 28px system-ui, sans-serif", GREY);
    y = below + 34;
  }
  written("visarith: arithmetic by looking", left, y + 18, "24px system-ui, sans-serif", GREY);
  return canvas;
}

// Which network drew what, if that is short and can be read.
function named(app, answer) {
  const { text } = answer.reading, isShort = text && text.length <= SHORT && !text.includes("?");
  return `${titled(app, answer)}: ${isShort ? `${text}.` : ""}`;
}

/** The question first, then the answers one by one: an animation for networks that do not work cell by cell. */
function uncovered(app) {
  const colours = { right: AMBER, wrong: AMBER, unsure: AMBER };  // the palette has white and amber
  const count = app.answers.filter((answer) => !answer.refused).length;
  const scenes = Array.from({ length: count + 1 }, (_, first) => scene(app, { first, wide: WIDE / 2, colours }));
  const frames = scenes.map((canvas, i) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return { pixels: numbered(data), delay: i === count ? 3000 : 1400 };
  });
  return gif(scenes[0].width, scenes[0].height, palette(), frames);
}

function titled(app, answer) {
  return app.offered.networks.find((each) => each.op === answer.op && each.learner === answer.learner).title;
}

/** The paper, cell by cell. */
export function animation(thoughts, sign) {
  const size = sizeOf(thoughts), count = thoughts.frames.length;
  const scale = Math.max(1, Math.min(6, Math.floor(Math.sqrt(MOST_PIXELS / (size.width * size.height)))));
  const canvas = document.createElement("canvas"), numbers = Array.from({ length: count + 1 }, (_, i) => i);
  const shown = count > MOST_FRAMES ? numbers.filter((i) => i === count || i % Math.ceil(count / MOST_FRAMES) === 0) : numbers;
  const colours = palette();
  const frames = shown.map((number) => {
    drawPaper(canvas, thoughts, number, { scale, sign });
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return { pixels: numbered(data), delay: number === count ? 2500 : number ? 420 : 900 };
  });
  return gif(canvas.width, canvas.height, colours, frames);
}

// 128 shades from slate to white, and as many from slate to amber.
function palette() {
  const ramp = ([r, g, b]) => Array.from({ length: 128 }, (_, i) => [22 + (i / 127) * (r - 22), 24 + (i / 127) * (g - 24), 29 + (i / 127) * (b - 29)].map(Math.round));
  return [...ramp([248, 245, 235]), ...ramp([255, 184, 92])];
}

function numbered(data) {
  const pixels = new Uint8Array(data.length / 4);
  for (let i = 0; i < pixels.length; i++) {
    const red = data[4 * i], blue = data[4 * i + 2], ink = (red - 22) / 226;
    const white = 29 + ink * 206, amber = 29 + ((red - 22) / 233) * 63;
    const isAmber = Math.abs(blue - amber) < Math.abs(blue - white);
    const share = isAmber ? (red - 22) / 233 : ink;
    pixels[i] = Math.min(127, Math.max(0, Math.round(127 * share))) + (isAmber ? 128 : 0);
  }
  return pixels;
}
