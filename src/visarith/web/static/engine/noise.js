// Gaussian noise as a function of a seed. It is another noise than the server's for the same seed.

/** Adds noise of this sigma to pictures. */
export function noisy(pictures, sigma, seed) {
  if (!sigma) return pictures;
  const next = normal(uniform(seed));
  return pictures.map((picture) => Float32Array.from(picture, (ink) => ink + sigma * next()));
}

/** Standard normal numbers from uniform ones, two at a time (Box and Muller). */
function normal(next) {
  let kept = null;
  return () => {
    if (kept !== null) {
      const value = kept;
      kept = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - next()));
    const angle = 2 * Math.PI * next();
    kept = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Numbers in [0, 1): a counter whose steps are mixed well (Weyl's sequence, hashed). */
function uniform(seed) {
  let counter = seed >>> 0;
  return () => {
    counter = (counter + 0x9e3779b9) >>> 0;
    let word = counter;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return ((word ^ (word >>> 16)) >>> 0) / 4294967296;
  };
}
