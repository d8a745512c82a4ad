// The state of the page in its address, both ways.

const NAMES = ["a", "b", "op", "learner"];

export function fromAddress() {
  const said = new URLSearchParams(location.search), state = {};
  for (const name of NAMES) if (said.has(name)) state[name] = said.get(name).slice(0, 64);
  const noise = Number(said.get("noise"));
  if (noise > 0 && noise <= 1) state.noise = noise;
  const seed = Number(said.get("seed"));
  if (Number.isInteger(seed) && seed > 0 && seed < 2 ** 32) state.seed = seed;
  if (["true", "1"].includes(said.get("permuted"))) state.permuted = true;
  return state;
}

// Browsers refuse addresses that change too often, so it changes once the state has come to rest.
const REST = 300;  // milliseconds
let timer = 0;

export function toAddress(state) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    const wanted = `?${query(state)}`;
    if (wanted !== location.search) history.replaceState(null, "", `${location.pathname}${wanted}${location.hash}`);
  }, REST);
}

function query(state) {
  const said = new URLSearchParams();
  for (const name of NAMES) said.set(name, state[name]);
  if (state.noise) said.set("noise", String(state.noise));
  if (state.seed) said.set("seed", String(state.seed));
  if (state.permuted) said.set("permuted", "true");
  return said;
}
