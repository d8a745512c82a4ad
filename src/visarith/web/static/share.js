// Share the scene: the link, a picture of it, and a short animation of the network at work.
import { gif } from "./gif.js";
import { judged } from "./lane.js";
import { drawPaper, sizeOf } from "./paper.js";

const byId = (id) => document.getElementById(id);
const WIDE = 1200, EDGE = 48, MOST_FRAMES = 60, MOST_PIXELS = 900_000;

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
    const thoughts = app.thoughts();
    if (thoughts?.kind !== "paper") throw new Error("Only networks that work column by column have an animation; choose Columns");
    save(animation(thoughts, app.operation().sign), "visarith.gif");
    return "Saved as visarith.gif.";
  });
}

function save(blob, name) {
  const address = URL.createObjectURL(blob), link = document.createElement("a");
  Object.assign(link, { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Both pictures, the answers, and what is true of them. */
export function scene(app) {
  const answered = app.answers.map((answer, i) => ({ answer, lane: app.lanes[i] })).filter(({ answer }) => !answer.refused);
  if (!answered.length) return null;
  const inputs = [byId("picture-a"), byId("picture-b")], wide = WIDE - 2 * EDGE;
  const high = (canvas) => Math.round((canvas.height / canvas.width) * wide);
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d");
  canvas.width = WIDE;
  canvas.height = EDGE + 2 * (high(inputs[0]) + 12) + answered.reduce((sum, { lane }) => sum + high(lane.canvas) + 64, 24) + 56;
  pen.imageSmoothingEnabled = false;
  pen.fillStyle = "#16181d";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let y = EDGE;
  for (const input of inputs) {
    pen.drawImage(input, EDGE, y, wide, high(input));
    y += high(input) + 12;
  }
  pen.fillStyle = "#5b5f6a";
  pen.fillRect(EDGE, y, wide, 3);
  y += 24;
  pen.textBaseline = "middle";
  for (const { answer, lane } of answered) {
    pen.drawImage(lane.canvas, EDGE, y, wide, high(lane.canvas));
    y += high(lane.canvas);
    const { kind, text } = judged(answer);
    pen.font = "600 28px system-ui, sans-serif";
    pen.fillStyle = { right: "#8fe0b0", wrong: "#ffb3ac", unsure: "#ffd98a" }[kind] ?? "#a9abb3";
    pen.textAlign = "left";
    pen.fillText(`${app.operation().title}, ${titled(app, answer)}: ${text}`, EDGE, y + 30, wide);
    y += 64;
  }
  pen.font = "24px system-ui, sans-serif";
  pen.fillStyle = "#a9abb3";
  pen.fillText("visarith: arithmetic by looking", EDGE, y + 18);
  return canvas;
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
