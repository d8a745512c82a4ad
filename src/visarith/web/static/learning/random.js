// Random numbers that depend on a seed and a purpose only, so that the same seed learns the same way on every machine.

/** A source of random numbers: uniform in [0, 1), whole below a limit, and standard normal. */
export function dice(seed, purpose) {
  let [a, b, c, counter] = [scramble(seed), 0, 0, 1];
  for (const letter of purpose) b = scramble(b ^ letter.charCodeAt(0));

  /** 32 random bits: two words and a counter are added, shifted and mixed into each other. */
  function bits() {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  }
  for (let round = 0; round < 16; round++) bits();

  const uniform = () => bits() / 4294967296;
  const below = (limit) => Math.floor(limit * uniform());
  let kept = null;

  /** Two at a time, from an angle and a radius (Box and Muller). */
  function normal() {
    if (kept !== null) {
      const value = kept;
      kept = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()));
    const angle = 2 * Math.PI * uniform();
    kept = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
  return { uniform, below, normal };
}

function scramble(word) {
  word = Math.imul((word ^ (word >>> 16)) + 0x9e3779b9, 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
