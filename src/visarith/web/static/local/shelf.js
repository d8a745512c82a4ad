// The networks that came with this copy: which there are, and each as it is first needed.

import { Run } from "../networks.js";
import { numbers } from "../networks/tensors.js";

const opened = new Map();

/** What the page offers. */
export function offered() {
  return globalThis.visarithSite.learners;
}

/** The tables and figures of the last report, or null. */
export function reported() {
  return globalThis.visarithSite.results;
}

/** The network of an operation; without a learner the first one, and columns are tallies for Romans. */
export async function find(op, learner = "") {
  const { operations, networks } = offered();
  const about = operations.find((each) => each.op === op);
  if (!about) throw new Error(`op '${op}' is unknown; use one of ${operations.map((each) => each.op).join(", ")}`);
  const wanted = learner === "columns" && about.learners.includes("tally") ? "tally" : learner || about.learners[0];
  if (!about.learners.includes(wanted))
    throw new Error(`learner '${wanted}' is not there to ${op}; use one of ${about.learners.join(", ")}`);
  const listed = networks.find((each) => each.op === op && each.learner === wanted);
  if (!opened.has(listed.name)) opened.set(listed.name, open(listed));
  return opened.get(listed.name);
}

async function open(listed) {
  const stored = globalThis.visarithWeights?.[listed.name] ?? (await load(listed.name));
  return Object.assign(new Run(stored), { listed, about: stored.about });
}

/** Weights are scripts, since pages that were opened from a disk may load nothing else. */
function load(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `weights/${name}.js`;
    script.onload = () => resolve(globalThis.visarithWeights[name]);
    script.onerror = () => {
      opened.delete(name);
      reject(new Error(`the weights of ${name} are missing; copy the whole folder`));
    };
    document.head.append(script);
  });
}

/** The fixed permutation of the pixels of a page. */
export function permutation(pixels) {
  return numbers(globalThis.visarithSite.permutations[pixels]);
}
