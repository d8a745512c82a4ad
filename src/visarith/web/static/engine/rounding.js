// Rounding as Python does it, so that both sides write the same.

/** The nearest whole number, of two that are as near the even one; or with so many decimals. */
export function rounded(value, decimals = 0) {
  if (decimals) return Number(value.toFixed(decimals)) + 0;
  const down = Math.floor(value);
  const over = value - down;
  return over > 0.5 || (over === 0.5 && down % 2 !== 0) ? down + 1 : down;
}

/** With commas between thousands. */
export function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}
