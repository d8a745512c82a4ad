// What can be done to the pictures: painting, blending, noise, a permutation, pictures of one's own.
import { showProblem } from "./answer.js";
import { fitted } from "./fit.js";
import { startPainting } from "./painting.js";
import { eachPixel } from "./pixels.js";

const byId = (id) => document.getElementById(id);

export function startTools(app) {
  const { state } = app;
  startPainting(app);
  startBlending(app);

  byId("noise").value = state.noise;
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
    app.change();
  });
  byId("reset").addEventListener("click", () => {
    state.painted = [null, null];
    state.blend = null;
    app.toolsChanged();
    app.change();
  });

  async function take(file, which) {
    try {
      state.painted[which] = await fitted(file, app.page());
      if (state.blend?.which === which) state.blend = null;
      app.toolsChanged();
      app.change();
    } catch (error) {
      showProblem(error.message);
    }
  }
  byId("upload").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) take(file, Number(byId("upload-which").value));
    event.target.value = "";
  });
  document.addEventListener("paste", (event) => {
    const file = [...(event.clipboardData?.files ?? [])].find((each) => each.type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    take(file, Number(byId("upload-which").value));
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
  const cells = byId("blend-cell"), symbols = byId("blend-symbol"), slider = byId("blend");

  app.blended = (bytes, which) => {
    const { blend } = state, page = app.page();
    if (blend?.which === which) {
      eachPixel(page, blend.cell, (at, i) => {
        bytes[at] = Math.round(bytes[at] * (1 - blend.share) + page.inked[blend.symbol][i] * blend.share);
      });
    }
    return bytes;
  };

  app.showBlend = () => {
    const page = app.page();
    options(cells, Array.from({ length: page.cells }, (_, i) => `${i + 1}`), page.cells - 1);
    const names = [...page.alphabet].map((symbol) => (symbol === " " ? "blank" : symbol));
    options(symbols, names, page.alphabet.startsWith("0") ? 8 : 1);
    slider.value = Math.round(100 * (state.blend?.share ?? 0));
    byId("blend-said").textContent = `${slider.value} %`;
  };

  function blend() {
    const controls = [slider, byId("blend-which"), cells, symbols];
    const [share, which, cell, symbol] = controls.map(({ value }) => Number(value));
    state.blend = share ? { which, cell, symbol, share: share / 100 } : null;
    app.toolsChanged();
    app.change();
  }
  for (const control of [slider, cells, symbols, byId("blend-which")]) {
    control.addEventListener("input", () => {
      if (control === slider || state.blend) blend();
    });
  }
}

function options(select, names, chosen) {
  if (select.dataset.names === names.join(" ")) return;
  select.dataset.names = names.join(" ");
  select.replaceChildren(...names.map((name, i) => new Option(name, String(i), false, i === chosen)));
}
