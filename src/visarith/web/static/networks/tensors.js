// Weights as they are stored: base64 of little-endian numbers, with a kind and a shape.

const KINDS = {
  uint8: (bytes) => bytes,
  int32: (bytes) => new Int32Array(bytes.buffer),
  float16: (bytes) => halves(new Uint16Array(bytes.buffer)),
  float32: (bytes) => new Float32Array(bytes.buffer),
  float64: (bytes) => new Float64Array(bytes.buffer),
};

/** The numbers of a stored tensor, row after row. */
export function numbers(stored) {
  const read = KINDS[stored.kind];
  if (!read) throw new Error(`weights of kind ${stored.kind} are unknown`);
  const values = read(bytes(stored.data));
  const expected = stored.shape.reduce((a, b) => a * b, 1);
  if (values.length !== expected) throw new Error(`${values.length} weights are stored, not ${expected}`);
  return values;
}

/** The rows of a stored matrix. */
export function rows(stored) {
  const values = numbers(stored);
  const [count, length] = stored.shape;
  return Array.from({ length: count }, (_, row) => values.subarray(row * length, (row + 1) * length));
}

function bytes(base64) {
  const text = atob(base64);
  const found = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) found[i] = text.charCodeAt(i);
  return found;
}

/** Numbers of 16 bits: a sign, five bits of exponent and ten of fraction. */
function halves(words) {
  const table = halfTable();
  return Float32Array.from(words, (word) => table[word]);
}

let known = null;

function halfTable() {
  if (known) return known;
  known = new Float32Array(65536);
  for (let word = 0; word < 65536; word++) {
    const sign = word & 0x8000 ? -1 : 1;
    const exponent = (word >> 10) & 31;
    const fraction = (word & 1023) / 1024;
    if (exponent === 31) known[word] = fraction ? NaN : sign * Infinity;
    else if (exponent === 0) known[word] = sign * fraction * 2 ** -14;
    else known[word] = sign * (1 + fraction) * 2 ** (exponent - 15);
  }
  return known;
}
