// Watch a network think: what columns hand on, which hidden units fire, which gates are on.

import { draw } from "./answering.js";
import { encoded } from "./encoding.js";
import { shown } from "./showing.js";
import { walked } from "./thinking/columns.js";
import { gated } from "./thinking/gates.js";
import { workedOut } from "./thinking/rows.js";
import { counted } from "./thinking/tally.js";
import { fired } from "./thinking/units.js";

const KINDS = {
  perceptron: fired,
  constructed: gated,
  tally: counted,
  columns: (run, given) => (run.network.multiplies ? workedOut : walked)(run, given),
};

/** What happens in the network on the way from the pictures to the answer. */
export function think(question, found) {
  if (!found.listed.exports) throw new Error("this network runs in Python, and does not show its steps here");
  const given = shown(question, found);
  const { run } = given;
  if (!KINDS[run.kind]) throw new Error("this kind of network does not show its steps");
  return {
    op: run.listed.op,
    learner: run.listed.learner,
    network: run.listed.name,
    answer: encoded(draw(run, given), run.answerPage.height, run.answerPage.width),
    ...KINDS[run.kind](run, given, question.unit),
  };
}
