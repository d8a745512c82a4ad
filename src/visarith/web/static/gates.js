// The gates of the constructed network, a layer at a time, as grids.
import { element } from "./element.js";

const LABEL = 22;

export function showGates(box, thoughts) {
  box.replaceChildren(...thoughts.layers.flatMap((layer) => [
    element("h3", { textContent: `${layer.name}: ${layer.what}` }),
    element("p", { className: "note", textContent: `${counted(layer.on)} of ${counted(layer.gates)} gates are on.` }),
    element("div", { className: gridsClass(layer) }, ...layer.grids.map((grid) => element(
      "figure", {}, drawn(grid, layer), ...(grid.title ? [element("figcaption", { textContent: grid.title })] : []),
    ))),
  ]));
  return {};
}

function counted(number) {
  return number.toLocaleString("en");
}

function gridsClass(layer) {
  const many = layer.grids.length > 4 ? " many" : "";
  return `grids${many}${layer.grids[0].values[0].length > 10 ? " wide" : ""}`;
}

function drawn(grid, layer) {
  const rows = grid.values.length, columns = grid.values[0].length;
  const size = layer.grids.length > 4 ? 9 : columns > 20 ? 11 : 15;
  const labelled = layer.grids.length <= 4, left = labelled ? LABEL : 4, top = labelled ? 16 : 4, dense = 2;
  const said = `${layer.name} ${grid.title}: ${on(grid)} gates are on`;
  const canvas = element("canvas", { role: "img", "aria-label": said });
  const wide = left + columns * size + 4, high = top + rows * size + 4;
  canvas.width = wide * dense;
  canvas.height = high * dense;
  canvas.style.width = `${wide}px`;
  const pen = canvas.getContext("2d");
  pen.scale(dense, dense);
  grid.values.forEach((row, y) => row.forEach((value, x) => {
    if (value === null) return;
    const much = Math.max(0, Math.min(1, value));
    pen.fillStyle = `rgb(${38 + 217 * much}, ${41 + 171 * much}, ${50 + 71 * much})`;
    pen.fillRect(left + x * size + 1, top + y * size + 1, size - 2, size - 2);
  }));
  if (labelled) {
    pen.fillStyle = "#a9abb3";
    pen.font = "10px ui-monospace, monospace";
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    grid.rows.forEach((name, y) => pen.fillText(name, left - 5, top + (y + 0.5) * size));
    pen.textAlign = "center";
    if (columns <= 20) grid.columns.forEach((name, x) => pen.fillText(name, left + (x + 0.5) * size, 8));
  }
  return canvas;
}

function on(grid) {
  return grid.values.flat().filter((value) => value > 0.5).length;
}
