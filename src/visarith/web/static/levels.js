// How much ink each pixel of a picture has, 0 to 1, whatever the ground and the light.

const FAINT = 0.1;  // the least difference of ink and ground
const LEAST = 0.1;  // of what ink could add to its ground
const BINS = 128;  // of the histogram in which ink and ground are parted

export function levelled({ values: seen, width, height }) {
  const sorted = Float64Array.from(seen).sort(), middle = atShare(sorted, 0.5);
  const dark = middle - atShare(sorted, 0.02) > atShare(sorted, 0.98) - middle;
  const value = Float64Array.from(seen, (light) => (dark ? 1 - light : light));
  const reach = Math.ceil(Math.max(width, height) / 8), sums = (values) => box(values, width, height, reach);
  const all = sums(value), every = sums(new Float64Array(value.length).fill(1));
  const first = all.map((sum, i) => sum / every[i]);
  const ground = value.map((own, i) => (own <= first[i] + FAINT / 4 ? 1 : 0));
  const count = sums(ground), grounds = sums(value.map((own, i) => own * ground[i]));
  const level = count.map((own, i) => (own > 0 ? grounds[i] / Math.max(own, 1) : first[i]));
  const above = value.map((own, i) => Math.max(own - level[i], 0) / Math.max(1 - level[i], LEAST));  // less in the shade
  const parted = split(above);
  const low = mean(above.filter((own) => own <= parted)), high = mean(above.filter((own) => own > parted));
  if (!(high - low >= FAINT)) throw new Error("a picture cannot be read: no ink stands out from the ground");
  const full = atShare(above.filter((own) => own > (low + high) / 2).sort(), 0.75);
  return { values: above.map((own) => Math.min(1, Math.max(0, (own - low) / (full - low)))), width, height };
}

// The sum over a square around each pixel, as far as it is in the picture.
function box(values, width, height, reach) {
  const wide = width + 1, total = new Float64Array(wide * (height + 1)), made = new Float64Array(values.length);
  for (let y = 0; y < height; y++) {
    let row = 0;
    for (let x = 0; x < width; x++) {
      row += values[y * width + x];
      total[(y + 1) * wide + x + 1] = total[y * wide + x + 1] + row;
    }
  }
  for (let y = 0; y < height; y++) {
    const top = Math.max(0, y - reach) * wide, bottom = Math.min(height, y + reach + 1) * wide;
    for (let x = 0; x < width; x++) {
      const left = Math.max(0, x - reach), right = Math.min(width, x + reach + 1);
      made[y * width + x] = total[bottom + right] - total[top + right] - total[bottom + left] + total[top + left];
    }
  }
  return made;
}

// The threshold that parts values into two kinds that differ most (Otsu's method).
function split(values) {
  const most = Math.max(values.reduce((one, other) => Math.max(one, other), 0), 1e-9);
  const counts = new Float64Array(BINS);
  for (const value of values) counts[Math.min(Math.floor((value / most) * BINS), BINS - 1)] += 1;
  const whole = counts.reduce((sum, count, i) => sum + count * (i + 0.5), 0);
  let below = 0, sum = 0, best = -1, which = 0;
  counts.forEach((count, i) => {
    below += count;
    sum += count * (i + 0.5);
    const above = values.length - below;
    const apart = below && above ? below * above * (sum / below - (whole - sum) / above) ** 2 : 0;
    if (apart > best * (1 + 1e-12)) [best, which] = [apart, i];
  });
  return ((which + 1) / BINS) * most;
}

function atShare(sorted, share) {
  return sorted[Math.floor(share * (sorted.length - 1))];
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}
