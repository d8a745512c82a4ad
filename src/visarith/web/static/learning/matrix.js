// Products of matrices that are stored row after row. The inner loop has eight sums, which stay in registers.

/** sums (rows × units) += left (rows × length) times right (units × length) transposed. */
export function addProduct(left, right, sums, rows, units, length) {
  const evenRows = rows - (rows % 2);
  const evenUnits = units - (units % 4);
  for (let row = 0; row < evenRows; row += 2) {
    for (let unit = 0; unit < evenUnits; unit += 4) {
      let a = row * length;
      let b = a + length;
      const end = b;
      let p = unit * length;
      let q = p + length;
      let r = q + length;
      let s = r + length;
      let ap = 0, aq = 0, ar = 0, as = 0, bp = 0, bq = 0, br = 0, bs = 0;
      for (; a < end; a++, b++, p++, q++, r++, s++) {
        const x = left[a];
        const y = left[b];
        const w0 = right[p];
        const w1 = right[q];
        ap += x * w0;
        bp += y * w0;
        aq += x * w1;
        bq += y * w1;
        const w2 = right[r];
        const w3 = right[s];
        ar += x * w2;
        br += y * w2;
        as += x * w3;
        bs += y * w3;
      }
      const at = row * units + unit;
      const below = at + units;
      sums[at] += ap;
      sums[at + 1] += aq;
      sums[at + 2] += ar;
      sums[at + 3] += as;
      sums[below] += bp;
      sums[below + 1] += bq;
      sums[below + 2] += br;
      sums[below + 3] += bs;
    }
  }
  if (evenUnits < units) addPlainly(left, right, sums, 0, evenRows, evenUnits, units, length);
  if (evenRows < rows) addPlainly(left, right, sums, evenRows, rows, 0, units, length);
}

/** The same for some rows and some units, without unrolling. */
function addPlainly(left, right, sums, firstRow, endRow, firstUnit, units, length) {
  for (let row = firstRow; row < endRow; row++)
    for (let unit = firstUnit; unit < units; unit++) {
      let sum = 0;
      for (let i = 0; i < length; i++) sum += left[row * length + i] * right[unit * length + i];
      sums[row * units + unit] += sum;
    }
}

/** The transpose of a matrix (rows × columns), written into `turned`. */
export function transpose(matrix, turned, rows, columns) {
  for (let row = 0; row < rows; row++)
    for (let column = 0, at = row * columns; column < columns; column++) turned[column * rows + row] = matrix[at++];
  return turned;
}
