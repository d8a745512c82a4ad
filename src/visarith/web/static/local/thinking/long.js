// Long multiplication as quantised columns do it: a row for each digit of the second number, a frame a column.

import { nearest, sigmoid, surely } from "../../networks/layers.js";
import { oneStep } from "../../networks/long.js";
import { encoded } from "../encoding.js";
import { rounded } from "../rounding.js";

/** As `networks/long.js` works it out, with every step kept. */
export function workedOut({ network, answerPage, listed }, given) {
  const { glyphs } = network;
  const known = network.tables();
  const names = glyphs.map((glyph) => answerPage.alphabet[nearest(glyph, answerPage.patterns)]);
  const [left, right] = network.recognised(given.seen).map((own) => [...own].reverse());
  const cells = left.length;
  const written = new Array(cells).fill(known.nothing);
  const glyph = (number) => ({ state: number, vector: [], alone: names[number] });
  const frames = [];
  for (let row = 0; row < length(right, known.nothing); row++) {
    let carry = known.nothing;
    for (let column = row; column < cells; column++) {
      if (column - row >= length(left, known.nothing) && carry === known.nothing) break;
      const [one, other] = [left[column - row], right[row]];
      const step = oneStep(known, one, other, written[column], carry);
      written[column] = step.written;
      const painted = known.sums.cells[step.added[0]][step.added[1]].map(sigmoid);
      frames.push({
        row,
        column: cells - 1 - column,
        label: "",
        above: [names[one], names[other]],
        handed: glyph(carry),
        hands: glyph(step.carry),
        painted: encoded(painted, answerPage.height, painted.length / answerPage.height),
        symbol: names[step.written],
        confidence: rounded(Math.min(surely(painted, glyphs).sure, 1), 4),
        line: [...written].reverse().map((number) => names[number]).join(""),
      });
      carry = step.carry;
    }
  }
  return { kind: "columns", from: "right", columns: cells, states: names.length, note: listed.described, frames };
}

/** How many digits there are, the right one first, without leading zeros; one at least. */
function length(digits, nothing) {
  let count = digits.length;
  while (count > 1 && digits[count - 1] === nothing) count -= 1;
  return count;
}
