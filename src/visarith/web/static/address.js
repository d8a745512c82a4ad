// The state of the page in its address, both ways. A link holds everything that changes the answer.
import { pack, unpack } from "./packing.js";

const NAMES = ["a", "b", "op", "learner", "against"];
const PAINTED = ["pa", "pb"];
const LONGEST = 20_000;  // characters of one value; what is longer is no state of this page

/** What an address says, and what of it cannot be used. Painted pictures are unpacked later, by `paintedIn`. */
export function fromAddress(search = location.search) {
  const said = new URLSearchParams(search), state = {}, wrong = [];
  for (const name of NAMES) if (said.has(name)) state[name] = said.get(name).slice(0, 200);
  const number = (name, fits) => {
    if (!said.has(name)) return;
    const value = Number(said.get(name));
    if (said.get(name) && fits(value)) state[name] = value;
    else wrong.push(name);
  };
  number("noise", (value) => value >= 0 && value <= 1);
  number("seed", (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32);
  if (said.has("permuted")) state.permuted = ["true", "1"].includes(said.get("permuted"));
  if (said.has("blend")) {
    const parts = said.get("blend").split("-").map(Number), [which, cell, symbol, share] = parts;
    if (parts.length === 4 && parts.every((part) => Number.isInteger(part) && part >= 0) && which < 2 && share <= 100) {
      state.blend = { which, cell, symbol, share: share / 100 };
    } else wrong.push("blend");
  }
  state.packed = PAINTED.map((name) => {
    const text = said.get(name) ?? "";
    if (text.length > LONGEST) wrong.push(name);
    return text.length > LONGEST ? "" : text;
  });
  return { state, wrong };
}

/** A painted picture, as it differs from the typeset one; null if there is none. Throws if it was tampered with. */
export function paintedIn(packed, plain) {
  return packed ? unpack(packed, plain) : null;
}

/** The query of a state; `plain(which)` is the typeset picture of a number. */
export function query(state, plain) {
  const said = new URLSearchParams();
  for (const name of NAMES) if (state[name] || name !== "against") said.set(name, state[name]);
  if (state.noise) said.set("noise", String(state.noise));
  if (state.seed) said.set("seed", String(state.seed));
  if (state.permuted) said.set("permuted", "true");
  const { blend } = state;
  if (blend) said.set("blend", [blend.which, blend.cell, blend.symbol, Math.round(100 * blend.share)].join("-"));
  PAINTED.forEach((name, which) => {
    if (state.painted[which]) said.set(name, pack(state.painted[which], plain(which)));
  });
  return said.toString();
}

// Browsers refuse addresses that change too often, so it changes once the state has come to rest. Choices are steps of
// their own in the history; typing and painting without a pause are one step.
const REST = 300, PAUSE = 2500;  // milliseconds
let timer = 0, written = 0;

export function toAddress(made, { step = false } = {}) {
  clearTimeout(timer);
  const write = () => {
    const wanted = `?${made()}`;
    if (wanted === location.search) return;
    const own = step || Date.now() - written > PAUSE;
    written = Date.now();
    const target = `${location.pathname}${wanted}${location.hash}`;
    history[own ? "pushState" : "replaceState"](null, "", target);
  };
  if (step) write();
  else timer = setTimeout(write, REST);
}

export function forget() {
  clearTimeout(timer);
}
