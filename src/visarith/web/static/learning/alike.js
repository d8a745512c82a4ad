// Pixels of answers that are always equal and start with equal weights stay equal, so one is computed for all of them.

import { Linear } from "./layers.js";

const KEPT = ["values", "gradient", "mean", "square"];

/** Which pixels are alike: `groupOf` gives the group of each pixel, `times` the number of pixels in each group. */
export function alike(layer, groupOf, targets) {
  const groups = new Map();
  const found = Int32Array.from(groupOf, (old, pixel) => {
    const rows = KEPT.flatMap((kind) => [...row(layer.weight[kind], old, layer.inputs), layer.bias[kind][old]]);
    const key = [...targets.map((target) => target[pixel]), ...rows].join();
    if (!groups.has(key)) groups.set(key, groups.size);
    return groups.get(key);
  });
  const times = new Float64Array(groups.size);
  found.forEach((group) => (times[group] += 1));
  return { groupOf: found, times };
}

/** The layer with one unit for each new group, from the one whose units are the old groups. */
export function regrouped(layer, oldGroups, groupOf, times) {
  const other = new Linear(layer.inputs, times.length, times);
  groupOf.forEach((group, pixel) => {
    for (const kind of KEPT) {
      other.weight[kind].set(row(layer.weight[kind], oldGroups[pixel], layer.inputs), group * layer.inputs);
      other.bias[kind][group] = layer.bias[kind][oldGroups[pixel]];
    }
  });
  other.changed();
  return other;
}

function row(values, number, length) {
  return values.subarray(number * length, (number + 1) * length);
}
