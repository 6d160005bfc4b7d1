// What comes after the perceptron: votes, the average, the pocket, the widest band.

import { asLine } from "./conventions.js";
import { nearestPoint, quotient } from "./nearest.js";
import { mistakesBefore, sgn, wrongAfter } from "./run.js";

/** The decimal digits of a coordinate that the widest band counts on. */
const DIGITS = 12;

/** Returns for each weight vector the number of looks, of the first `end`, after which it was the current one. */
export function survivedOf(run, end = run.rows.length) {
  const survived = run.weights.map(() => 0);
  for (let t = 0; t < end; t++) survived[mistakesBefore(run, t + 1)]++;
  return survived;
}

/** Returns the mean of the weight vectors after the looks that they survived, as they are stored. */
export function averageOf(run, survived) {
  const total = survived.reduce((a, b) => a + b, 0);
  if (total === 0) return run.weights[0];
  return run.weights[0].map(
    (_, j) => run.weights.reduce((sum, w, k) => sum + survived[k] * w[j], 0) / total,
  );
}

/** @typedef {{w: number[], b: number, count: number}} Voter a line with its number of votes */

/** Returns the lines that vote, each once with all its votes. @returns {Voter[]} */
export function votersOf(run, survived) {
  const voters = new Map();
  run.weights.forEach((w, k) => {
    const before = voters.get(`${w}`) ?? { ...asLine(w, run.conventions.offset), count: 0 };
    if (survived[k] > 0) voters.set(`${w}`, { ...before, count: before.count + survived[k] });
  });
  return [...voters.values()];
}

/** Returns the votes for +1 less those for −1 at a point. */
export function voteAt(voters, [x, y], tie) {
  return voters.reduce((sum, { w, b, count }) => sum + count * sgn(w[0] * x + w[1] * y + b, tie), 0);
}

/** Returns the number of points that each weight vector has wrong. */
export function errorsOf(run) {
  return run.weights.map((_, k) => wrongAfter(run, k).length);
}

/** Returns the index of the first weight vector with the fewest errors, of those of a list. */
export function pocketOf(errors) {
  return errors.reduce((best, count, k) => (count < errors[best] ? k : best), 0);
}

/**
 * Finds the widest band without points between the classes: the line of the largest margin.
 * @returns {{w: number[], b: number, margin: number, support: number[]}|null} null without a band
 */
export function widestBand(points, labels) {
  const [positive, negative] = [1, -1].map((sign) => rowsOf(labels, sign));
  if (positive.length === 0 || negative.length === 0) return null;
  const far = Math.max(...points.flat().map(Math.abs)) || 1;
  const scale = 10 ** (DIGITS - Math.ceil(Math.log10(far)));
  const whole = points.map((point) => point.map((value) => BigInt(Math.round(value * scale))));
  const [above, below] = [positive, negative].map((rows) => hullRows(rows, whole));
  const pairs = above.flatMap((i) => below.map((j) => [i, j]));
  const differences = pairs.map(([i, j]) => whole[i].map((value, k) => value - whole[j][k]));
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

/** Returns those of some rows whose points are the corners of their hull. */
function hullRows(rows, whole) {
  const sorted = rows.toSorted((i, j) => {
    const [right, up] = whole[i].map((value, k) => value - whole[j][k]);
    return Number(right || up);
  });
  const below = chainOf(sorted, whole);
  const above = chainOf(sorted.toReversed(), whole);
  return [...new Set([...below, ...above])];
}

/** Returns the rows of the hull's part to the right of the way from the first point to the last. */
function chainOf(sorted, whole) {
  const chain = [];
  for (const row of sorted) {
    while (chain.length > 1 && !turnsLeft(whole[chain.at(-2)], whole[chain.at(-1)], whole[row])) chain.pop();
    chain.push(row);
  }
  return chain;
}

/** Returns whether the way from a to b turns to the left towards c. */
function turnsLeft(a, b, c) {
  return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]);
}

function rowsOf(labels, sign) {
  return labels.flatMap((label, row) => (label === sign ? [row] : []));
}
