// The point of a convex hull that is nearest to 0, in exact arithmetic.

/**
 * @typedef {object} Nearest
 * @property {number[]} rows the vectors that the point mixes
 * @property {bigint[]} multipliers their positive weights, without a common factor
 * @property {bigint[]} point Σ multiplier · vector: 0 if the hull contains 0
 * @property {bigint} total Σ multiplier; the nearest point is point / total
 */

/**
 * Finds the point of the hull of some vectors that is nearest to 0.
 *
 * The point is a mixture of affinely independent vectors. While some vector lies on the near side
 * of the plane through the point, the nearest point of the mixture and that vector is nearer.
 * @param {bigint[][]} vectors one or more, of the same length
 * @returns {Nearest}
 */
export function nearestPoint(vectors) {
  const norms = vectors.map((z) => dotExact(z, z));
  let best = mixture(vectors, [
    norms.reduce((least, norm, i) => (norm < norms[least] ? i : least), 0),
  ]);
  for (;;) {
    const { rows, point, total } = best;
    const square = dotExact(point, point);
    if (square === 0n) return best;
    const heights = vectors.map((z) => dotExact(z, point));
    const lowest = heights.reduce((least, height, i) => (height < heights[least] ? i : least), 0);
    if (heights[lowest] * total >= square) return best;
    best = nearestMixture(vectors, rows, lowest);
  }
}

/** Returns the nearest point of the hull of a few vectors and one more, which it needs. */
function nearestMixture(vectors, rows, added) {
  let best = null;
  for (let subset = 0; subset < 1 << rows.length; subset++) {
    const chosen = [...rows.filter((_, j) => (subset >> j) & 1), added];
    const mixed = mixture(vectors, chosen);
    if (mixed && (!best || isNearer(mixed, best))) best = mixed;
  }
  return best;
}

function isNearer(a, b) {
  const [squareA, squareB] = [dotExact(a.point, a.point), dotExact(b.point, b.point)];
  return squareA * b.total * b.total < squareB * a.total * a.total;
}

/** Returns the point nearest to 0 of the plane through vectors, if it is a mixture of all of them. */
function mixture(vectors, rows) {
  const gram = rows.map((i) => rows.map((j) => dotExact(vectors[i], vectors[j])));
  const weights = rows.map((_, i) =>
    determinant(gram.map((row) => row.map((g, j) => (j === i ? 1n : g)))),
  );
  if (!weights.every((weight) => weight > 0n)) return null;
  const common = weights.reduce(greatestDivisor);
  const multipliers = weights.map((weight) => weight / common);
  const point = vectors[0].map((_, k) =>
    sum(rows.map((row, i) => multipliers[i] * vectors[row][k])),
  );
  return { rows, multipliers, point, total: sum(multipliers) };
}

/** Returns the sum of integers. */
export function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0n);
}

/** Returns a / b for b > 0 as a number, where both alone may be too large for one. */
export function quotient(a, b) {
  const excess = BigInt(Math.max(0, 4 * b.toString(16).length - 900)); // of the bits of b
  return Number(a >> excess) / Number(b >> excess);
}

/** Returns the inner product of two vectors of integers. */
export function dotExact(a, b) {
  let total = a[0] * b[0];
  for (let k = 1; k < a.length; k++) total += a[k] * b[k];
  return total;
}

function determinant(matrix) {
  if (matrix.length === 1) return matrix[0][0];
  return sum(
    matrix[0].map((value, j) => {
      if (value === 0n) return 0n;
      const minor = matrix.slice(1).map((row) => row.filter((_, k) => k !== j));
      return (j % 2 ? -value : value) * determinant(minor);
    }),
  );
}

/** Returns the greatest common divisor of a >= 0 and b > 0. */
export function greatestDivisor(a, b) {
  while (b) [a, b] = [b, a % b];
  return a;
}

/**
 * Finds the point of the hull of some vectors that is nearest to 0, by their inner products alone
 * (Wolfe 1976): unlike `nearestPoint` also of many dimensions.
 *
 * The point is a mixture of a few affinely independent vectors. A vector on its near side joins them;
 * then the mixture goes towards the nearest point of their plane, and drops those whose weight ends.
 * @param {bigint[][]} gram
 * @returns {{rows: number[], multipliers: bigint[], total: bigint, square: bigint}} the point is
 *   Σ multiplier · vector / total, and its square square / total²
 */
export function nearestInGram(gram) {
  const lowestOf = (values) => values.reduce((low, value, i) => (value < values[low] ? i : low), 0);
  let rows = [lowestOf(gram.map((cells, i) => cells[i]))];
  let multipliers = [1n];
  for (;;) {
    const heights = gram.map((cells) => sum(rows.map((j, k) => multipliers[k] * cells[j])));
    const square = sum(rows.map((i, k) => multipliers[k] * heights[i]));
    const total = sum(multipliers);
    const lowest = lowestOf(heights);
    if (square === 0n || heights[lowest] * total >= square) return { rows, multipliers, total, square };
    rows = [...rows, lowest];
    multipliers = [...multipliers, 0n];
    for (;;) {
      const wanted = nearestOfPlane(rows.map((i) => rows.map((j) => gram[i][j])));
      if (wanted.every((weight) => weight > 0n)) {
        multipliers = reduced(wanted);
        break;
      }
      const moved = goTowards(multipliers, wanted);
      rows = rows.filter((_, k) => moved[k] > 0n);
      multipliers = reduced(moved.filter((weight) => weight > 0n));
    }
  }
}

/** Returns weights on the way from some to others, as far as none is below 0. */
function goTowards(from, to) {
  const [a, b] = [sum(from), sum(to)];
  let [top, bottom] = [1n, 1n]; // the share of the way
  from.forEach((weight, k) => {
    const [here, there] = [weight * b, to[k] * a];
    if (there <= 0n && here * bottom < top * (here - there)) [top, bottom] = [here, here - there];
  });
  return from.map((weight, k) => weight * b * (bottom - top) + to[k] * a * top);
}

/** Returns weights, some maybe below 0, of the point nearest to 0 of the plane through vectors. */
function nearestOfPlane(gram) {
  const n = gram.length;
  const ones = gram.map(() => 1n);
  const rows = [[0n, ...ones, 1n], ...gram.map((cells) => [1n, ...cells, 0n])];
  let before = 1n; // Bareiss: every division is exact
  for (let k = 0; k <= n; k++) {
    const pivot = rows.findIndex((row, i) => i >= k && row[k] !== 0n);
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    const head = rows[k][k];
    rows.forEach((row, i) => {
      if (i === k) return;
      const factor = row[k];
      rows[i] = row.map((cell, j) => (head * cell - factor * rows[k][j]) / before);
    });
    before = head;
  }
  const weights = rows.slice(1).map((row) => row[n + 1]);
  return before < 0n ? weights.map((weight) => -weight) : weights;
}

function reduced(weights) {
  const common = weights.reduce(greatestDivisor);
  return weights.map((weight) => weight / common);
}
