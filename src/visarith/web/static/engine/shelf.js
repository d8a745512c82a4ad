// The networks that came with this copy: which there are, and each as it is first needed.

import { Run } from "../networks.js";
import { numbers } from "../networks/tensors.js";

const opened = new Map();

/** What the page offers. */
export function offered() {
  return globalThis.visarithSite.learners;
}

/** The tables and figures of the last report. */
export async function reported() {
  await script("results.js");
  return globalThis.visarithResults;
}

/** The network of an operation; without a learner the first one, and columns are tallies for Romans. */
export async function find(op, learner = "") {
  const { operations, networks } = offered();
  const about = operations.find((each) => each.op === op);
  if (!about) throw new Error(`op '${op}' is unknown; use one of ${operations.map((each) => each.op).join(", ")}`);
  const wanted = learner === "columns" && about.learners.includes("tally") ? "tally" : learner || about.learners[0];
  if (!about.learners.includes(wanted))
    throw new Error(`learner '${wanted}' is not available for ${op}; use one of ${about.learners.join(", ")}`);
  const listed = networks.find((each) => each.op === op && each.learner === wanted);
  if (!opened.has(listed.name)) opened.set(listed.name, open(listed));
  try {
    return await opened.get(listed.name);
  } catch (error) {
    opened.delete(listed.name); // perhaps it is there the next time
    throw error;
  }
}

async function open(listed) {
  if (!listed.exports) return { listed };
  const { name } = listed;
  const { rule, sign } = offered().operations.find((each) => each.op === listed.op);
  await script(`weights/${name}.js`);
  return Object.assign(new Run(globalThis.visarithWeights[name]), { listed, rule, sign: { "×": "x", "−": "-" }[sign] ?? sign });
}

/** Load a script of this copy: pages that were opened from a disk may load nothing else. */
function script(path) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement("script"), { src: path, onload: resolve });
    element.onerror = () => reject(new Error(`${path} is missing; copy the whole folder`));
    document.head.append(element);
  });
}

/** The fixed permutation of the pixels of a page. */
export function permutation(pixels) {
  const stored = globalThis.visarithSite.permutations[pixels];
  if (!stored) throw new Error("pixels of longer numbers have no permutation here; write shorter numbers");
  return numbers(stored);
}
