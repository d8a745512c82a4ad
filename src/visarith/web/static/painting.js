// Painting on the two input pictures with mouse, finger or keys.
import { bytesOf, draw } from "./pixels.js";

const byId = (id) => document.getElementById(id);

export function startPainting(app) {
  const { state } = app;
  const canvases = [byId("picture-a"), byId("picture-b")], shown = [null, null];
  const cursors = [null, null];

  app.showInput = (which, picture) => {
    shown[which] = { bytes: bytesOf(picture.pixels), height: picture.height, width: picture.width };
    redraw(which);
  };

  function redraw(which) {
    if (!shown[which]) return;
    const { bytes, height, width } = shown[which];
    draw(canvases[which], bytes, height, width);
    const at = cursors[which];
    if (at && document.activeElement === canvases[which]) {
      const pen = canvases[which].getContext("2d");
      pen.fillStyle = "rgba(255, 176, 60, 0.85)";
      pen.fillRect(at.x, at.y, 1, 1);
    }
  }

  // What is painted on is the picture itself, whatever noise is shown over it.
  function paint(which, x, y, ink) {
    const { height, width } = app.page();
    if (state.permuted || x < 0 || y < 0 || x >= width || y >= height) return;
    let bytes;
    try {
      bytes = app.clean(which);
    } catch {
      return;  // there is no number to paint on
    }
    if (state.blend?.which === which) state.blend = null;  // it is paint from now on
    bytes[y * width + x] = ink;
    state.painted[which] = bytes;
    if (shown[which]?.bytes.length === bytes.length) shown[which].bytes[y * width + x] = ink;
    redraw(which);
    app.toolsChanged();
    app.change();
  }

  const brush = () => Number(document.querySelector("#brush input:checked").value);

  canvases.forEach((canvas, which) => {
    let last = null;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return {
        x: Math.floor(((event.clientX - box.left) / box.width) * canvas.width),
        y: Math.floor(((event.clientY - box.top) / box.height) * canvas.height),
      };
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      last = place(event);
      cursors[which] = null;
      paint(which, last.x, last.y, brush());
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      const here = place(event), steps = Math.max(Math.abs(here.x - last.x), Math.abs(here.y - last.y));
      for (let i = 1; i <= steps; i++) {
        const between = (from, to) => Math.round(from + ((to - from) * i) / steps);
        paint(which, between(last.x, here.x), between(last.y, here.y), brush());
      }
      last = here;
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { last = null; });
    canvas.addEventListener("keydown", (event) => {
      const { height, width } = app.page(), at = cursors[which] ?? { x: width >> 1, y: height >> 1 };
      const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (moves[event.key]) {
        const [x, y] = moves[event.key];
        cursors[which] = { x: (at.x + x + width) % width, y: (at.y + y + height) % height };
      } else if (event.key === " ") {
        cursors[which] = at;
        paint(which, at.x, at.y, brush());
      } else if (event.key === "Delete" || event.key === "Backspace") {
        cursors[which] = at;
        paint(which, at.x, at.y, 0);
      } else {
        return;
      }
      event.preventDefault();
      redraw(which);
    });
    canvas.addEventListener("focus", () => redraw(which));
    canvas.addEventListener("blur", () => redraw(which));
  });
}
