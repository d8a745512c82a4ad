// Pictures of one's own: chosen, dropped, pasted or taken; each step on the way into cells is shown.
import { element } from "./element.js";
import { fit } from "./foreign.js";
import { sentence } from "./lane.js";
import { opened } from "./opening.js";
import { coloured, draw } from "./pixels.js";

const byId = (id) => document.getElementById(id);

export function startOwnPictures(app) {
  const { state } = app;

  async function take(file, which) {
    const steps = [], page = app.page(), problem = byId("picture-problem");
    const tell = (title, picture, boxes = []) => steps.push({ title, picture, boxes });
    problem.hidden = true;
    byId("tool-picture").open = true;
    try {
      const seen = await opened(file);
      tell("as it came", seen);
      const bytes = fit(seen, page, tell);
      tell("in cells, as the network sees it", { values: bytes.map(Number), width: page.width, height: page.height, bytes });
      state.painted[which] = bytes;
      if (state.blend?.which === which) state.blend = null;
      app.toolsChanged();
      app.change({ step: true });
    } catch (error) {
      problem.textContent = sentence(error.message.replace("a picture cannot be read", "I cannot read this"));
      problem.hidden = false;
    }
    byId("steps").replaceChildren(...steps.map(shown));
  }

  const which = () => Number(byId("upload-which").value);
  for (const id of ["upload", "camera"]) {
    byId(id).addEventListener("change", (event) => {
      const [file] = event.target.files;
      if (file) take(file, which());
      event.target.value = "";
    });
  }
  document.addEventListener("paste", (event) => {
    const file = [...(event.clipboardData?.files ?? [])][0];
    if (!file) return;
    event.preventDefault();
    take(file, which());
  });
  for (const name of ["dragover", "drop"]) {
    document.addEventListener(name, (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();  // also beside the page: a browser would leave it and open the file
      const [file] = event.dataTransfer.files;
      if (name === "drop" && file) take(file, event.target.closest?.(".line")?.querySelector("#b") ? 1 : event.target.closest?.(".line") ? 0 : which());
    });
  }
}

function shown({ title, picture, boxes }) {
  const canvas = element("canvas", { "aria-hidden": "true" });
  const { width, height } = picture;
  if (picture.bytes) draw(canvas, picture.bytes, height, width);
  else {
    canvas.width = width;
    canvas.height = height;
    const pen = canvas.getContext("2d");
    pen.putImageData(coloured(picture.values.map((value) => 255 * value), height, width), 0, 0);
    pen.strokeStyle = "#ffb85c";
    pen.lineWidth = Math.max(1, width / 150);
    for (const box of boxes) pen.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  }
  return element("li", {}, canvas, element("span", { textContent: title }));
}
