// What every network is made of: linear layers with ReLUs or sigmoids between them, and the nearest of several vectors.

import { numbers } from "./tensors.js";

const TURN = 3; // a column's vector z is seen as z, sin 3z and cos 3z

export function sigmoid(value) {
  return 1 / (1 + Math.exp(-value));
}

export const ACTIVATIONS = { relu: (value) => (value > 0 ? value : 0), sigmoid };

/** Linear layers with ReLUs between them, as a function from vector to vector. */
export function sequence(stored) {
  const layers = stored.map(linear);
  return (vector) =>
    layers.reduce((values, layer, number) => layer(number ? values.map(ACTIVATIONS.relu) : values), vector);
}

export function linear(stored) {
  const weight = numbers(stored.weight);
  const bias = numbers(stored.bias);
  const [units, inputs] = stored.weight.shape;
  return (vector) => {
    const sums = new Float64Array(units);
    for (let unit = 0, at = 0; unit < units; unit++) {
      let sum = bias[unit];
      for (let i = 0; i < inputs; i++) sum += weight[at++] * vector[i];
      sums[unit] = sum;
    }
    return sums;
  };
}

export function squaredDistance(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] - other[i]) ** 2;
  return sum;
}

/** The number of the nearest choice; the first of equals. */
export function nearest(vector, choices) {
  let least = Infinity;
  let which = 0;
  choices.forEach((choice, number) => {
    const square = squaredDistance(vector, choice);
    if (square < least) [least, which] = [square, number];
  });
  return which;
}

/** The same, and how much more of it there is in the vector than of any other choice: 1 is all, 0 half. */
export function surely(vector, choices) {
  const which = nearest(vector, choices);
  const least = squaredDistance(vector, choices[which]);
  let sure = choices.length === 1 ? 1 : Infinity;
  choices.forEach((choice, number) => {
    if (number === which) return;
    const apart = Math.max(squaredDistance(choices[which], choice), 1e-12);
    sure = Math.min(sure, (squaredDistance(vector, choice) - least) / apart);
  });
  return { which, sure };
}

export function plus(one, other) {
  return one.map((value, i) => value + other[i]);
}

export function joined(...vectors) {
  const all = new Float64Array(vectors.reduce((sum, vector) => sum + vector.length, 0));
  let at = 0;
  for (const vector of vectors) {
    all.set(vector, at);
    at += vector.length;
  }
  return all;
}

/** A column as hands and painter see it: what comes round becomes easy to see. */
export function seenOf(column) {
  return joined(
    column,
    column.map((value) => Math.sin(TURN * value)),
    column.map((value) => Math.cos(TURN * value)),
  );
}
