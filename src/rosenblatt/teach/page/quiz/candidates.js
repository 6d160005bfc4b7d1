// Lines to choose from before a look: where it moves the line, and where slips would move it.

import { asLine } from "../engine/conventions.js";

/** The most lines to choose from. */
const MOST_LINES = 4;

/** Where the constant 1 stands in a stored row. */
const CONSTANT_AT = { first: 0, last: 2, none: null };

/**
 * Returns the lines to choose from at look t, by their slopes: the line after the look; and the line
 * that stays, or moves though the answer was right; then the wrong sign of y x, x turned by 90°, y x
 * without the old w, and x with its coordinates exchanged. No two are the same line.
 * @returns {{vector: bigint[], isRight: boolean}[]} stored vectors over 10^digits of the run
 */
export function candidatesAt(run, t) {
  const { whole, used, rows, wrong, conventions } = run;
  const before = whole.weights[used[t]].map(BigInt);
  const step = whole.steps[rows[t]].map(BigInt);
  const moved = (move, sign = 1n) => before.map((value, j) => value + sign * move[j]);
  const after = wrong[t] ? moved(step) : before;
  const constant = CONSTANT_AT[conventions.offset];
  const [j, k] = [0, 1, 2].filter((at) => at !== constant && at < step.length);
  const turned = step.with(j, -step[k]).with(k, step[j]);
  const exchanged = step.with(j, step[k]).with(k, step[j]);
  const slips = [moved(step), before, moved(step, -1n), moved(turned), step, moved(exchanged)];
  const chosen = [after];
  for (const slip of slips)
    if (chosen.length < MOST_LINES && !chosen.some((other) => isSameLine(slip, other, constant)))
      chosen.push(slip);
  return chosen
    .map((vector) => ({ vector, isRight: vector === after, place: placeOf(vector, conventions) }))
    .sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1])
    .map(({ vector, isRight }) => ({ vector, isRight }));
}

/** Returns whether two vectors have one line, or none: all of their 2 × 2 determinants are 0. */
function isSameLine(a, b, constant) {
  const hasLine = (vector) => vector.some((value, j) => j !== constant && value !== 0n);
  if (!hasLine(a) || !hasLine(b)) return hasLine(a) === hasLine(b);
  return a.every((value, j) => b.every((other, k) => value * other === a[k] * b[j]));
}

/** Returns the slope of a line in radians, from −π/2 to π/2, and its height; of no line, the last place. */
function placeOf(vector, { offset }) {
  const { w, b } = asLine(vector.map(Number), offset);
  if (w[0] === 0 && w[1] === 0) return [4, 0];
  const sign = w[1] < 0 || (w[1] === 0 && w[0] > 0) ? -1 : 1;
  return [Math.atan2(-sign * w[0], sign * w[1]), (-sign * b) / Math.hypot(...w)];
}
