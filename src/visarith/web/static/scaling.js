// Scaling: each new pixel is the mean of the area that it covers.

/** A part of the source into a part of the page, each top, bottom, left and right. */
export function scale({ values, width }, [y0, y1, x0, x1], made, page, [top, bottom, left, right]) {
  const down = (y1 - y0) / (bottom - top), across = (x1 - x0) / (right - left);
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const above = y0 + (y - top) * down, before = x0 + (x - left) * across;
      made[y * page.width + x] = area(values, width, above, above + down, before, before + across);
    }
  }
}

function area(values, width, y0, y1, x0, x1) {
  let sum = 0, all = 0;
  for (let y = Math.floor(y0 + 1e-9); y < y1 - 1e-9; y++) {
    const high = Math.min(y + 1, y1) - Math.max(y, y0);
    for (let x = Math.floor(x0 + 1e-9); x < x1 - 1e-9; x++) {
      const part = high * (Math.min(x + 1, x1) - Math.max(x, x0));
      sum += part * values[y * width + x];
      all += part;
    }
  }
  return all ? sum / all : 0;
}
