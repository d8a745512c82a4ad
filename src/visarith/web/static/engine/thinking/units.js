// Which hidden units of a perceptron fire, and the pictures of a unit's weights.

import { signed } from "../encoding.js";
import { rounded } from "../rounding.js";

/** What each hidden unit says; of one unit also its weights, in the order of pixels that eyes know. */
export function fired({ network, page, answerPage }, given, unit) {
  const said = network.hidden(given.plain);
  const layers = said.map((values, number) => ({
    name: `hidden layer ${number + 1}`,
    values: Array.from(values, (value) => rounded(value, 3)),
  }));
  return { kind: "units", layers, ...(unit ? { unit: weights(network, page, answerPage, said, unit) } : {}) };
}

/** From the pixels to the unit and from it to those of the answer, through the units that fire between. */
function weights({ weights: layers, isSigmoid }, page, answerPage, said, { layer, unit }) {
  if (!(unit in (said[layer] ?? [])))
    throw new Error(
      `there is no unit ${unit} in layer ${layer}; ` +
        `there are ${said.length} layers of ${said[0].length}, counted from 0`,
    );
  const slopes = said.map((values) => values.map((value) => (isSigmoid ? value * (1 - value) : Number(value > 0))));
  let below = Float64Array.from(layers[layer][unit]);
  const through = (weights, i) => weights.map((weight, j) => weight * slopes[i][j]);
  for (let i = layer - 1; i >= 0; i--) below = backwards(layers[i], through(below, i));
  let above = Float64Array.from(layers[layer + 1], (row) => row[unit]);
  for (let i = layer + 1; i < said.length; i++) above = forwards(layers[i + 1], through(above, i));
  const own = [...(layer === 0 ? ["from"] : []), ...(layer === said.length - 1 ? ["to"] : [])];
  const inputs = Array.from({ length: below.length / page.pixels }, (_, i) => i);
  return {
    layer,
    unit,
    value: rounded(said[layer][unit], 3),
    from: inputs.map((i) => signed(below.slice(i * page.pixels, (i + 1) * page.pixels), page.height, page.width)),
    to: signed(above.slice(0, answerPage.pixels), answerPage.height, answerPage.width),
    own: own.join(" "),
  };
}

/** A row times a matrix. */
function backwards(matrix, row) {
  const sums = new Float64Array(matrix[0].length);
  matrix.forEach((weights, i) => {
    if (row[i]) weights.forEach((weight, j) => (sums[j] += row[i] * weight));
  });
  return sums;
}

/** A matrix times a column. */
function forwards(matrix, column) {
  return Float64Array.from(matrix, (weights) => weights.reduce((sum, weight, i) => sum + weight * column[i], 0));
}
