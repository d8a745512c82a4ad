// What can be done to the pictures: painting, blending, noise, a permutation, pictures of one's own; and things to try.
import { options } from "./choices.js";
import { element } from "./element.js";
import { startOwnPictures } from "./own.js";
import { startPainting } from "./painting.js";
import { eachPixel } from "./pixels.js";

const byId = (id) => document.getElementById(id);
const SIXTY = "271828182845904523536028747135266249775724709369995957496696";
const TRIES = [
  ["2 × 2", "op=multiply&learner=perceptron&against=columns&a=2&b=2"],
  ["The carry runs", "op=add&learner=columns&against=perceptron&a=4999999&b=1"],
  ["Sixty digits", `op=add&learner=columns&a=${SIXTY}&b=${[...SIXTY].reverse().join("")}`],
  ["Half 3, half 8", "op=add&learner=perceptron&a=1234563&b=0&blend=0-6-8-50"],
];

export function startTools(app) {
  const { state } = app;
  startPainting(app);
  startBlending(app);
  startOwnPictures(app);

  byId("try").append("Try: ", ...TRIES.map(([title, search]) => {
    const button = element("button", { type: "button", className: "link", textContent: title });
    button.addEventListener("click", () => {
      app.show(`?${search}`);
      app.change({ step: true });
    });
    return button;
  }));
  byId("noise").addEventListener("input", (event) => {
    state.noise = Number(event.target.value);
    app.toolsChanged();
    app.change();
  });
  byId("seed").addEventListener("click", () => {
    state.seed = (state.seed + 1) % 2 ** 32;
    app.change();
  });
  byId("permuted").addEventListener("change", (event) => {
    state.permuted = event.target.checked;
    app.toolsChanged();
    app.change({ step: true });
  });
  byId("reset").addEventListener("click", () => {
    state.painted = [null, null];
    state.blend = null;
    app.toolsChanged();
    app.change({ step: true });
  });

  app.toolsChanged = () => {
    byId("noise").value = state.noise;
    byId("noise-said").textContent = state.noise.toLocaleString("en");
    byId("seed").disabled = !state.noise;
    byId("permuted").checked = state.permuted;
    byId("reset").disabled = !state.blend && !state.painted.some(Boolean);
    app.showBlend();
  };
}

// A share of a second symbol in one cell.
function startBlending(app) {
  const { state } = app;
  const which = byId("blend-which"), cell = byId("blend-cell"), symbol = byId("blend-symbol"), slider = byId("blend");

  app.inputs.blended = (bytes, number) => {
    const { blend } = state, page = app.page();
    if (blend?.which === number && blend.cell < page.cells) {
      eachPixel(page, blend.cell, (at, i) => {
        bytes[at] = Math.round(bytes[at] * (1 - blend.share) + page.inked[blend.symbol][i] * blend.share);
      });
    }
    return bytes;
  };

  const tool = byId("tool-blend");
  tool.addEventListener("toggle", () => app.showBlend());

  app.showBlend = () => {
    if (!tool.open && !state.blend) return;  // long numbers have many cells to choose from
    const page = app.page(), { blend } = state;
    const cells = Array.from({ length: page.cells }, (_, i) => [`${i}`, `${i + 1}`]);
    const names = [...page.alphabet].map((glyph, i) => [`${i}`, glyph === " " ? "blank" : glyph]);
    const shape = `${page.cells} ${page.alphabet}`;
    const fresh = cell.dataset.shape !== shape;
    cell.dataset.shape = shape;
    options(cell, cells, blend ? `${blend.cell}` : fresh ? `${page.cells - 1}` : undefined);
    options(symbol, names, blend ? `${blend.symbol}` : fresh ? `${page.alphabet.startsWith("0") ? 8 : 1}` : undefined);
    if (blend) which.value = `${blend.which}`;
    slider.value = Math.round(100 * (blend?.share ?? 0));
    byId("blend-said").textContent = `${slider.value} %`;
  };

  function blend() {
    const [share, ...at] = [slider, which, cell, symbol].map(({ value }) => Number(value));
    state.blend = share ? { which: at[0], cell: at[1], symbol: at[2], share: share / 100 } : null;
    app.toolsChanged();
    app.change();
  }
  for (const control of [slider, cell, symbol, which]) {
    control.addEventListener("input", () => {
      if (control === slider || state.blend) blend();
    });
  }
}
