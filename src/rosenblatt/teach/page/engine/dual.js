// The dual form: w as a sum of examples, each as often as it was a mistake. With a kernel in place of
// x·x′ nothing else of the run changes: its rows are those of the Gram matrix, and w is α.

import { asIntegers } from "./decimals.js";
import { floorOfFraction, fraction, ratio } from "./fractions.js";
import { nearestInGram } from "./nearest.js";
import { runOf } from "./run.js";
import { EXACT, largestOf } from "./whole.js";

/** The degrees of the polynomial kernels. */
export const DEGREES = [1, 2, 3, 4, 5];

/**
 * @typedef {object} Kernel
 * @property {function(number[], number[], number=): number} of K(x, z); of coordinates over √one,
 *   the whole number K(x, z) · one^power
 * @property {number} power
 */

/** x·x′: the dual form of the line. @type {Kernel} */
export const LINEAR = { of: (x, z) => x[0] * z[0] + x[1] * z[1], power: 1 };

/** (x, y, x² + y²)·(x′, y′, x′² + y′²): the inner product of lifted points. @type {Kernel} */
export const LIFT = {
  of: (x, z, one = 1) => one * LINEAR.of(x, z) + LINEAR.of(x, x) * LINEAR.of(z, z),
  power: 2,
};

/** (1 + x·x′)^d for each degree d. @type {Record<number, Kernel>} */
export const POLYNOMIALS = Object.fromEntries(DEGREES.map((d) => [d, polynomial(d)]));

function polynomial(power) {
  const of = (x, z, one = 1) => {
    const base = one + LINEAR.of(x, z);
    let value = base;
    for (let k = 1; k < power; k++) value *= base;
    return value;
  };
  return { of, power };
}

/**
 * Runs the perceptron with a kernel and an offset from α = 0: on a mistake α ← α + 1, b ← b + η y.
 * @returns {Run} whose weights are the η α y, and whose `kernel` is the kernel
 */
export function runDual(points, labels, conventions, order, kernel, limit) {
  const whole = (looks) => wholeGram(points, labels, conventions, kernel, looks);
  return { ...runOf(points, labels, conventions, order, whole, limit), kernel };
}

/** Returns the rows of the Gram matrix, 1 more for the offset, and the steps of α as whole numbers. */
function wholeGram(points, labels, { eta }, kernel, looks) {
  const { integers, digits } = asIntegers(points.flat());
  const rate = asIntegers([eta]);
  const one = 10n ** BigInt(2 * digits);
  const unit = one ** BigInt(kernel.power);
  const exact = points.map((_, row) => integers.slice(2 * row, 2 * row + 2));
  const largest = largestOf(exact.map((x) => kernel.of(x, x, one) + unit)); // of the whole matrix, by Cauchy–Schwarz
  const fits = largest * rate.integers[0] * BigInt(looks) <= EXACT;
  const whole = fits ? Number : (cell) => cell;
  const x = exact.map((cells) => cells.map(whole));
  const [zero, step, single, added] = [0n, rate.integers[0], one, unit].map(whole);
  const stepOf = (label, row) => labels.map((_, i) => (i === row ? step * whole(BigInt(label)) : zero));
  return {
    dual: true,
    rows: x.map((xi) => x.map((xj) => kernel.of(xi, xj, single) + added)),
    steps: labels.map(stepOf),
    weights: [labels.map(() => zero)],
    rowDigits: 2 * digits * kernel.power,
    digits: rate.digits,
  };
}

/**
 * Returns R², γ² and ⌊R²/γ²⌋ of a run with a kernel, which begins at α = 0.
 *
 * Its rows are Φ(x) with a constant 1 for the offset: R² is the largest K(x, x) + 1, and γ the
 * distance of 0 from the hull of the y Φ(x).
 * @returns {{radius2: Fraction, gamma2: Fraction|null, bound: bigint|null}} null where no curve of
 *   the kernel has all points right
 */
export function dualTheorem({ whole, labels }) {
  const unit = 10n ** BigInt(whole.rowDigits);
  const gram = whole.rows.map((cells, i) =>
    cells.map((cell, j) => BigInt(cell) * BigInt(labels[i] * labels[j])),
  );
  const largest = gram.map((cells, i) => cells[i]).reduce((a, b) => (a > b ? a : b));
  const radius2 = fraction(largest, unit);
  const { square, total } = nearestInGram(gram);
  if (square === 0n) return { radius2, gamma2: null, bound: null };
  const gamma2 = fraction(square, total * total * unit);
  return { radius2, gamma2, bound: floorOfFraction(ratio(radius2, gamma2)) };
}

/** Returns α before look t: for each row, the number of mistakes on it. */
export function alphaAt(run, t) {
  const alpha = run.labels.map(() => 0);
  for (let look = 0; look < Math.min(t, run.rows.length); look++)
    if (run.wrong[look]) alpha[run.rows[look]]++;
  return alpha;
}

/** Returns b of a run with a kernel, of its α: η Σ α y. */
export function offsetOf(run, alpha) {
  return run.conventions.eta * alpha.reduce((sum, value, i) => sum + value * run.labels[i], 0);
}

/** Returns the plane w·(x, y, x² + y²) + b before look t of a run with the lift. */
export function liftedPlane(run, points, t) {
  const alpha = alphaAt(run, t);
  const lifted = points.map(([x, y]) => [x, y, x * x + y * y]);
  const { eta } = run.conventions;
  const w = [0, 1, 2].map((k) =>
    lifted.reduce((sum, z, i) => sum + eta * alpha[i] * run.labels[i] * z[k], 0),
  );
  return { w, b: offsetOf(run, alpha) };
}

/** Returns f(x, y) = η Σ α y K(xᵢ, ·) + b before look t of a run with a kernel. */
export function curveAt(run, points, t) {
  const { eta } = run.conventions;
  const alpha = alphaAt(run, t);
  const rows = alpha.flatMap((value, row) => (value > 0 ? [row] : []));
  const factors = rows.map((row) => eta * alpha[row] * run.labels[row]);
  const b = offsetOf(run, alpha);
  return (x, y) => {
    const point = [x, y];
    return rows.reduce((sum, row, i) => sum + factors[i] * run.kernel.of(point, points[row]), b);
  };
}
