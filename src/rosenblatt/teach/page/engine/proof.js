// The proof of the theorem in fractions: what each mistake adds to u·w and to ‖w‖².

import { decimalFraction, floorOfFraction, fraction, product, ratio, sumOf } from "./fractions.js";
import { dotExact } from "./nearest.js";

/**
 * @typedef {object} Theorem what the proof knows before the run; null where there is no separator
 * @property {Fraction[]|null} p the point of the hull of the y x that is nearest to 0; u is p/‖p‖
 * @property {Fraction|null} gamma2 p·p = γ²
 * @property {Fraction} radius2 R², the largest ‖x‖²
 * @property {bigint|null} bound ⌊R²/γ²⌋
 */

/**
 * @typedef {object} ProofStep the two claims at a mistake; every x is a stored row
 * @property {Fraction|null} gain y p·x, at least γ²
 * @property {Fraction[]} split ‖w‖², 2η y w·x and η²‖x‖², with the w before the step
 * @property {Fraction|null} rise p·w after the step: that before and η·gain
 * @property {Fraction} length2 ‖w‖² after the step: the sum of the split
 * @property {number} mistakes those so far, this one included
 */

/** Returns what the proof knows of an example; it has at least one row. @returns {Theorem} */
export function theoremOf({ whole }, { hull }) {
  const unit = 10n ** BigInt(whole.rowDigits);
  const squares = whole.rows.map(big).map((x) => dotExact(x, x));
  const radius2 = fraction(
    squares.reduce((a, b) => (a > b ? a : b)),
    unit * unit,
  );
  if (!hull) return { p: null, gamma2: null, radius2, bound: null };
  const below = hull.total * unit;
  const gamma2 = fraction(dotExact(hull.point, hull.point), below * below);
  return {
    p: hull.point.map((value) => fraction(value, below)),
    gamma2,
    radius2,
    bound: floorOfFraction(ratio(radius2, gamma2)),
  };
}

/** Returns the claims at a look; null if it is no mistake, or comes after a rounded sign. */
export function proofStep(run, found, t) {
  if (!run.wrong[t] || (run.rounded !== null && t >= run.rounded)) return null;
  const { whole, used, rows, labels } = run;
  const { hull } = found;
  const before = big(whole.weights[used[t]]);
  const row = rows[t];
  const [x, step] = [big(whole.rows[row]), big(whole.steps[row])];
  const [unit, weightUnit] = [whole.rowDigits, whole.digits].map((n) => 10n ** BigInt(n));
  const square = (value) => fraction(value, weightUnit * weightUnit);
  const gain = hull && BigInt(labels[row]) * dotExact(hull.point, x);
  return {
    gain: hull && fraction(gain, hull.total * unit * unit),
    split: [dotExact(before, before), 2n * dotExact(before, step), dotExact(step, step)].map(square),
    rise: riseOf(run, found, used[t] + 1),
    length2: lengthOf(run, used[t] + 1),
    mistakes: used[t] + 1,
  };
}

/**
 * Returns both sides of the claims after some mistakes, of u·w in γ.
 * @returns {{rise: Fraction|null, least: Fraction|null, length: Fraction, most: Fraction}}
 *   rise: u·w, at least u·w₀ + tη; null where there is no separator; length: ‖w‖², at most ‖w₀‖² + tη²R²
 */
export function claimsAfter(run, found, { gamma2, radius2 }, mistakes) {
  const [t, eta] = [fraction(BigInt(mistakes)), decimalFraction(run.conventions.eta)];
  const inGammas = (k) => ratio(riseOf(run, found, k), gamma2);
  return {
    rise: gamma2 && inGammas(mistakes),
    least: gamma2 && sumOf(inGammas(0), product(t, eta)),
    length: lengthOf(run, mistakes),
    most: sumOf(lengthOf(run, 0), product(t, product(product(eta, eta), radius2))),
  };
}

/** Returns p·w after some mistakes; null where there is no separator. */
export function riseOf({ whole }, { hull }, mistakes) {
  if (!hull) return null;
  const below = hull.total * 10n ** BigInt(whole.rowDigits + whole.digits);
  return fraction(dotExact(hull.point, big(whole.weights[mistakes])), below);
}

/** Returns ‖w‖² after some mistakes. */
export function lengthOf({ whole }, mistakes) {
  const w = big(whole.weights[mistakes]);
  return fraction(dotExact(w, w), 10n ** BigInt(2 * whole.digits));
}

function big(vector) {
  return vector.map(BigInt);
}
