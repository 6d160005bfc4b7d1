// The proof of the theorem in fractions: what each mistake adds to u·w and to ‖w‖².

import { floorOfFraction, fraction, ratio } from "./fractions.js";
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
export function proofStep(run, { hull }, t) {
  if (!run.wrong[t] || (run.rounded !== null && t >= run.rounded)) return null;
  const { whole, used, rows, labels } = run;
  const [before, after] = [0, 1].map((k) => big(whole.weights[used[t] + k]));
  const row = rows[t];
  const [x, step] = [big(whole.rows[row]), big(whole.steps[row])];
  const [unit, weightUnit] = [whole.rowDigits, whole.digits].map((n) => 10n ** BigInt(n));
  const square = (value) => fraction(value, weightUnit * weightUnit);
  const along = (z, below) => hull && fraction(dotExact(hull.point, z), hull.total * unit * below);
  return {
    gain: along(
      x.map((value) => BigInt(labels[row]) * value),
      unit,
    ),
    split: [dotExact(before, before), 2n * dotExact(before, step), dotExact(step, step)].map(square),
    rise: along(after, weightUnit),
    length2: square(dotExact(after, after)),
    mistakes: used[t] + 1,
  };
}

function big(vector) {
  return vector.map(BigInt);
}
