// The gates of a constructed network, as grids.

import { rounded } from "../rounding.js";

const TALL = 40; // gates a place that still stand in one column
const WRAP = 20;

/** What each hidden layer says, from HL1 on. */
export function gated(run, given) {
  const { network, page } = run;
  const [first, ...others] = network.signals(given.seen);
  const symbols = [...page.alphabet.replace(" ", "␣")];
  const size = page.cells * symbols.length;
  const grids = ["first number", "second number"].map((title, operand) => {
    const own = inRows(first.subarray(operand * size, (operand + 1) * size), symbols.length);
    return grid(title, symbols, counted(page.cells), turned(own));
  });
  const layers = others.map((signals, number) => {
    const { what, grids } = described(run, number, network.layers[number], signals);
    return layer(number + 2, what, signals, grids);
  });
  return { kind: "gates", layers: [layer(1, "which symbol stands in which cell", first, grids), ...layers] };
}

function described(run, number, { sums, which }, signals) {
  const { page, rule } = run;
  const symbols = page.alphabet.length;
  if (rule === "multiply" && number === 0) {
    const digits = counted(symbols - 1);
    const tables = inRows(signals, digits.length ** 2);
    const side = Math.round(Math.sqrt(tables.length));
    return {
      what: "which digit of one number is multiplied by which of the other",
      grids: tables.map((table, i) => {
        const title = `digits ${Math.floor(i / side) + 1} and ${(i % side) + 1} from the right`;
        return grid(title, digits, digits, inRows(table, digits.length));
      }),
    };
  }
  if (sums.count === which.length && which.length === page.cells * symbols)
    return {
      what: "which symbol is drawn in which cell",
      grids: [grid("answer", [...page.alphabet], counted(page.cells), turned(inRows(signals, symbols)))],
    };
  return byPlaces(run, number, sums.count, which, signals);
}

/** Gates that compare one sum with several thresholds belong together: a column of a grid, the right place last. */
function byPlaces({ notation }, number, count, which, signals) {
  const roman = notation.name === "roman";
  const ofSum = (sum) => Array.from(signals).filter((_, gate) => which[gate] === sum);
  const groups = Array.from({ length: count }, (_, sum) => ofSum(sum)).reverse();
  const names = roman ? [...notation.alphabet.trim()].reverse() : counted(groups.length);
  const what =
    roman && number
      ? "how far the numerals of each kind, and all larger ones, reach to the right"
      : "how large the sum up to each place is, step by step";
  const tallest = Math.max(...groups.map((group) => group.length));
  if (tallest > TALL) return { what, grids: groups.map((group, i) => wrapped(`place ${names[i]}`, group)) };
  const padded = groups.map((group) => [...group, ...new Array(tallest - group.length).fill(null)]);
  return { what, grids: [grid("", counted(tallest), names, turned(padded))] };
}

function wrapped(title, gates) {
  const rows = inRows(gates, WRAP).map((row) => [...row, ...new Array(WRAP - row.length).fill(null)]);
  return grid(title, rows.map((_, i) => String(WRAP * i + 1)), new Array(WRAP).fill(""), rows);
}

function grid(title, rows, columns, values) {
  const round = (value) => (value === null ? null : rounded(value, 2));
  return { title, rows, columns, values: values.map((row) => Array.from(row, round)) };
}

function layer(number, what, signals, grids) {
  return { name: `Hidden layer ${number}`, what, gates: signals.length, on: signals.filter((value) => value > 0.5).length, grids };
}

function inRows(values, length) {
  const rows = [];
  for (let i = 0; i < values.length; i += length) rows.push(values.slice(i, i + length));
  return rows;
}

function turned(rows) {
  return Array.from(rows[0], (_, i) => rows.map((row) => row[i]));
}

function counted(count) {
  return Array.from({ length: count }, (_, i) => String(i + 1));
}
