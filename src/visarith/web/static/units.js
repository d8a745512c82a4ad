// The hidden units that fire, and the picture of the weights of one of them.
import { element } from "./element.js";
import { drawSigned } from "./pixels.js";

const ROW = 64, SIZE = 10;  // units a row, and pixels a unit

export function showUnits(box, thoughts, { app, question, before }) {
  let chosen = before?.chosen() ?? loudest(thoughts), serial = 0, timer = 0;
  const kept = new Map();
  const canvases = thoughts.layers.map((layer, number) => {
    const canvas = element("canvas", {
      tabIndex: 0, role: "application",
      "aria-label": `${layer.name}: ${firing(layer)} of ${layer.values.length} units fire. Arrow keys choose a unit.`,
    });
    const rows = Math.ceil(layer.values.length / ROW);
    canvas.width = ROW * SIZE;
    canvas.height = rows * SIZE;
    canvas.addEventListener("mousemove", (event) => {
      const area = canvas.getBoundingClientRect();
      const x = Math.floor(((event.clientX - area.left) / area.width) * ROW);
      const y = Math.floor(((event.clientY - area.top) / area.height) * rows);
      choose(number, y * ROW + x);
    });
    canvas.addEventListener("focus", () => choose(number, chosen.layer === number ? chosen.unit : 0));
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -ROW, ArrowDown: ROW }[event.key];
      if (!move) return;
      event.preventDefault();
      choose(number, (chosen.unit + move + layer.values.length) % layer.values.length);
    });
    return canvas;
  });
  const weights = element("div", { className: "weights" });
  const said = element("p", { className: "note said", role: "status" });
  box.replaceChildren(
    element("div", { className: "layers" }, ...thoughts.layers.map((layer, number) => element(
      "div", { className: "layer" },
      element("p", { textContent: `${layer.name}: ${firing(layer)} of ${layer.values.length} fire` }),
      canvases[number],
    ))),
    said, weights,
  );

  function paint() {
    thoughts.layers.forEach((layer, number) => {
      const pen = canvases[number].getContext("2d"), most = Math.max(...layer.values, 1e-9);
      pen.fillStyle = "#0d0f13";
      pen.fillRect(0, 0, canvases[number].width, canvases[number].height);
      layer.values.forEach((value, unit) => {
        const x = (unit % ROW) * SIZE, y = Math.floor(unit / ROW) * SIZE, much = Math.sqrt(Math.max(0, value) / most);
        pen.fillStyle = `rgb(${30 + 218 * much}, ${33 + 212 * much}, ${40 + 195 * much})`;
        pen.fillRect(x + 1, y + 1, SIZE - 2, SIZE - 2);
        if (chosen.layer === number && chosen.unit === unit) {
          pen.strokeStyle = "#ffb03c";
          pen.lineWidth = 2;
          pen.strokeRect(x + 1, y + 1, SIZE - 2, SIZE - 2);
        }
      });
    });
  }

  function choose(layer, unit) {
    if (unit < 0 || unit >= thoughts.layers[layer].values.length) return;
    if (chosen.layer === layer && chosen.unit === unit && weights.childElementCount) return;
    chosen = { layer, unit };
    paint();
    clearTimeout(timer);
    timer = setTimeout(ask, 60);
  }

  async function ask() {
    const mine = ++serial, key = `${chosen.layer} ${chosen.unit}`, wanted = { ...chosen };
    try {
      if (!kept.has(key)) kept.set(key, (await app.engine.think({ ...question, unit: wanted })).unit);
    } catch (error) {
      said.textContent = error.message;
      return;
    }
    if (mine === serial) showWeights(kept.get(key));
  }

  function showWeights(unit) {
    const { name } = thoughts.layers[unit.layer];
    const how = (end) => (unit.own.includes(end) ? "its own weights" : "through the units that fire between");
    said.textContent = `Unit ${unit.unit} of ${name} has the value ${unit.value}. Orange pulls it up, blue down.`;
    const pictures = [
      ["from the first picture", unit.from[0], how("from")],
      ["from the second picture", unit.from[1], how("from")],
      ["to the answer", unit.to, how("to")],
    ];
    weights.replaceChildren(...pictures.map(([what, picture, which]) => {
      const canvas = element("canvas", { role: "img", "aria-label": `Weights ${what}` });
      drawSigned(canvas, picture);
      return element("figure", {}, canvas, element("figcaption", { textContent: `${what}: ${which}` }));
    }));
  }

  paint();
  ask();
  return { chosen: () => chosen, end: () => clearTimeout(timer) };
}

function firing(layer) {
  return layer.values.filter((value) => value > 0).length;
}

function loudest(thoughts) {
  const { values } = thoughts.layers[0];
  return { layer: 0, unit: values.indexOf(Math.max(...values)) };
}
