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

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0n);
}

/** Returns a / b for b > 0 as a number, where both alone may be too large for one. */
export function quotient(a, b) {
  const excess = BigInt(Math.max(0, 4 * b.toString(16).length - 900)); // of the bits of b
  return Number(a >> excess) / Number(b >> excess);
}

/** Returns the inner product of two vectors of integers. */
export function dotExact(a, b) {
  return sum(a.map((value, k) => value * b[k]));
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
