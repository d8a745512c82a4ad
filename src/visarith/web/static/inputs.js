// The inputs of the page: which networks see them, how many cells they need, and their pictures before noise.
import { cellsFor, notationOf } from "./engine/layouts.js";
import { typeset, withCells } from "./pixels.js";

/** The inputs of a state: functions of it, and what was read in them last. */
export function makeInputs(offered, state) {
  const inputs = { operation, network, duelists, page, measure, restart, textOf, changed, plain, clean, unpaint };
  Object.assign(inputs, { read: null, blended: null });  // what was read in them last; a tool that blends

  function operation() {
    return offered.operations.find((each) => each.op === state.op);
  }
  function network(learner = state.learner) {
    return offered.networks.find((each) => each.op === state.op && each.learner === learner);
  }

  // The networks that answer: the chosen one, and the other of a duel.
  function duelists() {
    return [state.learner, ...(state.against ? [state.against] : [])].map(network);
  }

  // How the pictures of the inputs are laid out: by the first network that takes numbers of this length.
  let cells = 0;
  function page(own = host()) {
    const plain = offered.pages[own.page];
    return own.lengthens ? withCells(plain, Math.max(cells, plain.cells)) : plain;
  }
  function host() {
    const all = duelists();
    return (cells > offered.pages[all[0].page].cells && all.find((each) => each.lengthens)) || all[0];
  }
  // Numbers of other lengths: ink that was painted stays with its digits, which are counted from the right.
  function measure() {
    const about = { page: offered.pages[network().page], name: operation().notation, rule: operation().rule };
    const needed = cellsFor(textOf(0), textOf(1), about) ?? cells;
    const painted = state.painted.some(Boolean);
    const wanted = painted ? Math.max(needed, cells) : needed;  // ink keeps its place while there is any
    if (painted && wanted !== cells) state.painted = state.painted.map((bytes, which) => bytes && widened(bytes, which, wanted));
    if (state.blend && cells) state.blend.cell = Math.max(0, state.blend.cell + wanted - cells);
    cells = wanted;
  }
  function widened(bytes, which, wanted) {
    const before = page();
    cells = wanted;
    const after = page(), more = after.width - before.width, wider = typeset(new Array(after.cells).fill(0), after);
    for (let y = 0; y < before.height; y++) {
      for (let x = before.corners[0][1]; x < before.width; x++) wider[y * after.width + x + more] = bytes[y * before.width + x];
    }
    cells = before.cells;
    return wider;
  }

  // A number as it was typed or, where its picture was changed, as it is read there.
  function textOf(which) {
    const typed = which ? state.b : state.a;
    return changed(which) ? inputs.read?.[which] ?? typed : typed;
  }
  function changed(which) {
    return Boolean(state.painted[which] || state.blend?.which === which);
  }

  // The picture of a number before noise: typeset; or painted, and blended, if it is.
  function plain(which) {
    const way = notationOf(page(), operation().notation), text = (which ? state.b : state.a).trim();
    if (!text) throw new Error("write two numbers");
    const number = way.number(text);
    if (number > way.limit) throw new Error(`${text.length > 12 ? "the number" : text} does not fit a picture`);
    return typeset(way.write(number), page());
  }
  function clean(which) {
    const bytes = state.painted[which] ? state.painted[which].slice() : plain(which);
    return inputs.blended ? inputs.blended(bytes, which) : bytes;
  }

  function unpaint() {
    state.painted = [null, null];
    state.blend = null;
  }

  // Another state: its numbers are measured anew.
  function restart() {
    cells = 0;
    inputs.read = null;
  }

  return inputs;
}
