// The perceptron with one assumption of the theorem removed: a run that breaks a line of the proof.

import { fraction, ratio } from "./fractions.js";
import { dotExact } from "./nearest.js";
import { sgn } from "./run.js";

/** The assumptions that can be removed. */
export const ASSUMPTIONS = ["margin", "radius", "mistakes", "rate", "start"];

/** The most steps of a run, and the most looks: the number of a step is read, and a drag is drawn. */
const [MOST_STEPS, MOST_LOOKS] = [400, 4000];

/** A point that is moved goes on by this part of its way, where that is more than the least one. */
const FINE_SHARE = 8n;

/**
 * @typedef {object} BrokenRun
 * @property {{row: number, label: number, x: bigint[], before: bigint[], after: bigint[]}[]} steps
 *   x: the stored row, which may have been moved; before, after: w
 * @property {bigint} unit x is over it, and p
 * @property {bigint} scale w is over unit · scale
 * @property {bigint} rate η of a step is that before it, over rate
 * @property {bigint[]|null} point p, of the points at hand; null if no line separates them
 * @property {Fraction} radius2 R² of the points at hand
 * @property {Fraction|null} limit (R/γ)²; null if no line separates them
 */

/**
 * Runs the perceptron from w = 0 with η = 1, but for what is removed, until it has made one step more
 * than the theorem allows.
 *
 * - margin: the first point stands a second time, with the other label
 * - radius: at step t the point goes along the line of u, so that y u·x stays, until it is a mistake
 *   and ‖x‖² ≥ (t + 1)R²
 * - mistakes: every look is a step
 * - rate: each η is that before it, over the smallest whole number above R/γ
 * - start: w₀ is against u, so far that as many steps as the bound do not bring u·w to 0
 * @param {Run} run of which the points and the sign of 0 are taken
 * @param {Separability} found
 * @param {string} removed one of ASSUMPTIONS, or "none"; of points without a separator "none"
 * @param {number[]} order of the rows of an epoch
 * @returns {BrokenRun}
 */
export function brokenRun({ whole, labels, conventions }, found, removed, order) {
  const { hull, bound, radius, gamma } = found;
  const total = hull?.total ?? 1n;
  const unit = 10n ** BigInt(whole.rowDigits) * total;
  const rows = whole.rows.map((x) => x.map((cell) => BigInt(cell) * total));
  const square = rows.map((x) => dotExact(x, x)).reduce((a, b) => (a > b ? a : b));
  const most = Math.min(MOST_STEPS, (bound ?? MOST_STEPS) + 1);
  const rate = removed === "rate" ? BigInt(Math.floor(radius / gamma)) + 1n : 1n;
  const scale = rate ** BigInt(most - 1);
  const along = hull && alongLine(hull.point, conventions.offset, unit);
  const looks = order.map((row) => ({ row, label: labels[row] }));
  if (removed === "margin") looks.splice(1, 0, { row: order[0], label: -labels[order[0]] });
  const steps = [];
  let way = 0n;
  let rest = scale; // over scale, the η of the next step
  let w = removed === "start" ? farStart(found) : rows[0].map(() => 0n);
  for (let [look, quiet] = [0, 0]; look < MOST_LOOKS && quiet < looks.length; look++) {
    if (steps.length === most) break;
    const { row, label } = looks[look % looks.length];
    let x = rows[row];
    if (removed === "radius") {
      const far = BigInt(steps.length + 2) * square;
      x = movedRow(x, { along, w, label, tie: conventions.tie, far, way });
      way = wayOf(x, rows[row], along);
    }
    quiet += 1;
    if (sgn(dotExact(w, x), conventions.tie) === label && removed !== "mistakes") continue;
    quiet = 0;
    const after = stepped(w, label > 0 ? rest : -rest, x);
    rest /= rate;
    steps.push({ row, label, x, before: w, after });
    w = after;
  }
  const radius2 = fraction(square, unit * unit);
  const gamma2 = hull && fraction(dotExact(hull.point, hull.point), unit * unit);
  const limit = hull && ratio(radius2, gamma2);
  return { steps, unit, scale, rate, point: hull?.point ?? null, radius2, limit };
}

/** Returns a whole multiple of −p whose u·w is at most −R for each step of the bound and one more. */
function farStart({ hull, bound, radius, gamma }) {
  const far = BigInt(Math.ceil(((bound + 1) * (radius / gamma)) / Number(hull.total)));
  return hull.point.map((cell) => -far * hull.total * cell);
}

/** Returns a vector of the plane along the line of u; of a u that is the offset alone, any. */
function alongLine(point, offset, unit) {
  const [first, second] = offset === "first" ? [1, 2] : [0, 1];
  const along = point.map(() => 0n);
  [along[first], along[second]] = [-point[second], point[first]];
  if (along.every((cell) => cell === 0n)) along[first] = unit;
  return along;
}

/** Returns w + step · x. */
function stepped(w, step, x) {
  return w.map((cell, j) => cell + step * x[j]);
}

/**
 * Returns a row moved along the line of u: a mistake, far away, and w does not end up along u.
 * way: how far the one before went; half of it is where the search begins
 */
function movedRow(x, { along, w, label, tie, far, way }) {
  const side = dotExact(w, along);
  const direction = side * BigInt(label) > 0n ? -1n : 1n;
  for (let share = direction * (way / 2n + 1n); ; share += direction + share / FINE_SHARE) {
    const moved = stepped(x, share, along);
    const isMistake = side === 0n || sgn(dotExact(w, moved), tie) !== label; // there a move changes no score
    const after = stepped(w, BigInt(label), moved);
    if (isMistake && dotExact(moved, moved) >= far && dotExact(after, along) !== 0n) return moved;
  }
}

/** Returns how many times a vector a row was moved by, without the sign. */
function wayOf(moved, x, along) {
  const j = along.findIndex((cell) => cell !== 0n);
  const share = (moved[j] - x[j]) / along[j];
  return share < 0n ? -share : share;
}

/**
 * Returns both sides of the lines of the proof after step t, and the names of those that fail.
 *
 * The fractions are not reduced: their numbers are long, and most are compared only.
 * @returns {{gain: Fraction|null, rise: Fraction|null, middle: Fraction, last: Fraction,
 *   length: Fraction, most: Fraction, limit: Fraction|null, failed: string[]}}
 *   gain: η y u·x in γ, at least 1; rise: u·w in γ, at least t; middle: 2η y w·x, at most 0;
 *   last: η²‖x‖², at most R²; length: ‖w‖², at most `most` = tR²; limit: (R/γ)², at least t ("end")
 */
export function linesAfter({ steps, unit, scale, rate, point, radius2, limit }, t) {
  const { x, label, before, after } = steps[t - 1];
  const count = { top: BigInt(t), bottom: 1n };
  const below = rate ** BigInt(t - 1); // η is 1 / below
  const sign = BigInt(label);
  const gamma2 = point && dotExact(point, point);
  const sides = {
    gain: point && { top: sign * dotExact(point, x), bottom: below * gamma2 },
    rise: point && { top: dotExact(point, after), bottom: gamma2 * scale },
    middle: { top: 2n * sign * dotExact(before, x), bottom: below * unit * unit * scale },
    last: { top: dotExact(x, x), bottom: (below * unit) ** 2n },
    length: { top: dotExact(after, after), bottom: (unit * scale) ** 2n },
    most: { top: radius2.top * count.top, bottom: radius2.bottom },
    limit,
  };
  const holds = {
    gain: point && isAtMost({ top: 1n, bottom: 1n }, sides.gain),
    rise: point && isAtMost(count, sides.rise),
    middle: sides.middle.top <= 0n,
    last: isAtMost(sides.last, radius2),
    length: isAtMost(sides.length, sides.most),
    end: point && isAtMost(count, limit),
  };
  return { ...sides, failed: Object.keys(holds).filter((name) => !holds[name]) };
}

function isAtMost(a, b) {
  return a.top * b.bottom <= b.top * a.bottom;
}
