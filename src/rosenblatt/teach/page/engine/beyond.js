// What comes after the perceptron: votes, the average, the pocket, the widest band, a kernel.

import { asLine } from "./conventions.js";
import { nearestPoint, quotient } from "./nearest.js";
import { sgn, wrongAfter } from "./run.js";

/** The decimal digits of a coordinate that the widest band counts on. */
const DIGITS = 12;

/** The degrees of the polynomial kernels. */
export const DEGREES = [1, 2, 3, 4, 5];

/** Returns for each weight vector the number of looks after which it was the current one. */
export function survivedOf(run) {
  const survived = run.weights.map(() => 0);
  const { used } = run;
  used.forEach((_, t) => survived[t + 1 < used.length ? used[t + 1] : run.weights.length - 1]++);
  return survived;
}

/** Returns the mean of the weight vectors after all looks, as they are stored. */
export function averageOf(run, survived = survivedOf(run)) {
  const total = survived.reduce((a, b) => a + b, 0);
  if (total === 0) return run.weights[0];
  return run.weights[0].map(
    (_, j) => run.weights.reduce((sum, w, k) => sum + survived[k] * w[j], 0) / total,
  );
}

/** Returns a function of (x, y): the share of the votes for +1 less that for −1, in [−1, 1]. */
export function voteOf(run, survived = survivedOf(run)) {
  const { tie, offset } = run.conventions;
  const voters = run.weights
    .map((w, k) => ({ ...asLine(w, offset), count: survived[k] }))
    .filter((voter) => voter.count > 0);
  const total = voters.reduce((sum, voter) => sum + voter.count, 0) || 1;
  return (x, y) =>
    voters.reduce((sum, { w, b, count }) => sum + count * sgn(w[0] * x + w[1] * y + b, tie), 0) /
    total;
}

/** Returns the index of the first weight vector with the fewest errors. */
export function pocketOf(run) {
  let best = 0;
  let fewest = Infinity;
  for (let k = 0; k < run.weights.length && fewest > 0; k++) {
    const errors = wrongAfter(run, k).length;
    if (errors < fewest) [best, fewest] = [k, errors];
  }
  return best;
}

/**
 * Finds the widest band without points between the classes: the line of the largest margin.
 * @returns {{w: number[], b: number, margin: number, support: number[]}|null} null without a band
 */
export function widestBand(points, labels) {
  const [positive, negative] = [1, -1].map((sign) => rowsOf(labels, sign));
  if (positive.length === 0 || negative.length === 0) return null;
  const pairs = positive.flatMap((i) => negative.map((j) => [i, j]));
  const far = Math.max(...points.flat().map(Math.abs)) || 1;
  const scale = 10 ** (DIGITS - Math.ceil(Math.log10(far)));
  const whole = (value) => BigInt(Math.round(value * scale));
  const differences = pairs.map(([i, j]) =>
    points[i].map((x, k) => whole(x) - whole(points[j][k])),
  );
  const { rows, multipliers, point, total } = nearestPoint(differences);
  if (point.every((value) => value === 0n)) return null;
  const w = point.map((value) => quotient(value, total) / scale);
  const ends = [0, 1].map((side) =>
    [0, 1].map((k) =>
      rows.reduce(
        (sum, row, i) => sum + quotient(multipliers[i], total) * points[pairs[row][side]][k],
        0,
      ),
    ),
  );
  const b = -(w[0] * (ends[0][0] + ends[1][0]) + w[1] * (ends[0][1] + ends[1][1])) / 2;
  const heights = points.map((x, row) => labels[row] * (w[0] * x[0] + w[1] * x[1] + b));
  const least = Math.min(...heights);
  const support = heights.flatMap((height, row) => (height <= least * (1 + 1e-9) ? [row] : []));
  return { w, b, margin: Math.hypot(...w) / 2, support };
}

function rowsOf(labels, sign) {
  return labels.flatMap((label, row) => (label === sign ? [row] : []));
}

/** Returns the polynomial kernel (1 + x·x')^degree. */
export function polynomialKernel(degree) {
  return (x, z) => (1 + (x[0] * z[0] + x[1] * z[1])) ** degree;
}

/** Returns the inner product of the lifted points (x, y, x² + y²). */
export function liftKernel(x, z) {
  return x[0] * z[0] + x[1] * z[1] + (x[0] ** 2 + x[1] ** 2) * (z[0] ** 2 + z[1] ** 2);
}

/**
 * Runs the perceptron with a kernel and an offset, until all rows are right.
 * @returns {{alpha: number[], b: number, mistakes: number, converged: boolean, limit: number,
 *   score: function(number, number): number}}
 */
export function kernelRun(points, labels, { eta, tie }, kernel, limit = 20000) {
  const n = points.length;
  const gram = points.map((x) => points.map((z) => kernel(x, z)));
  const alpha = points.map(() => 0);
  let [b, mistakes, looks] = [0, 0, 0];
  const scoreOf = (row) => gram[row].reduce((sum, k, i) => sum + alpha[i] * k, 0) + b;
  const isRight = (_, row) => sgn(scoreOf(row), tie) === labels[row];
  while (looks + n <= limit && n > 0 && !points.every(isRight)) {
    for (let row = 0; row < n; row++, looks++) {
      if (isRight(null, row)) continue;
      alpha[row] += eta * labels[row];
      b += eta * labels[row];
      mistakes++;
    }
  }
  const score = (x, y) =>
    points.reduce((sum, z, i) => (alpha[i] ? sum + alpha[i] * kernel([x, y], z) : sum), b);
  return { alpha, b, mistakes, converged: points.every(isRight), limit, score };
}
