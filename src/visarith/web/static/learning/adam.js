// The optimizer of the recipe: Adam, with a rate that falls as half a cosine.

const MEAN = 0.9;
const SQUARE = 0.999;
const LEAST = 1e-8; // keeps the division finite

export class Adam {
  constructor() {
    this.steps = 0;
  }

  /** Change all weights by their gradients, and set these to 0. */
  step(all, rate) {
    this.steps += 1;
    const pace = rate / (1 - MEAN ** this.steps);
    const spread = 1 / Math.sqrt(1 - SQUARE ** this.steps);
    for (const { values, gradient, mean, square } of all) {
      for (let i = 0; i < values.length; i++) {
        const slope = gradient[i];
        mean[i] += (1 - MEAN) * (slope - mean[i]);
        square[i] = SQUARE * square[i] + (1 - SQUARE) * slope * slope;
        values[i] -= (pace * mean[i]) / (Math.sqrt(square[i]) * spread + LEAST);
      }
      gradient.fill(0);
    }
  }
}

/** The rate when this share of training is done. */
export function cosine(rate, share) {
  return rate * 0.5 * (1 + Math.cos(Math.PI * share));
}
