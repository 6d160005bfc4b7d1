// The perceptron with one assumption of the theorem removed: a run that breaks a line of the proof.

import { fraction, product, ratio } from "./fractions.js";
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
  let w = removed === "start" ? farStart(found) : rows[0].map(() => 0n);
  for (let [look, quiet] = [0, 0]; look < MOST_LOOKS && quiet < looks.length; look++) {
    if (steps.length === most) break;
    const { row, label } = looks[look % looks.length];
    const [before, t] = [w, steps.length + 1];
    const step = BigInt(label) * rate ** BigInt(most - t);
    const after = (x) => before.map((cell, j) => cell + step * x[j]);
    const isWrong = (x) => sgn(dotExact(before, x), conventions.tie) !== label;
    const far = BigInt(t + 1) * square;
    const move = { along, before, after, isWrong, label, far, way };
    const x = removed === "radius" ? movedRow(rows[row], move) : rows[row];
    if (removed === "radius") way = wayOf(x, rows[row], along);
    quiet += 1;
    if (!isWrong(x) && removed !== "mistakes") continue;
    quiet = 0;
    w = after(x);
    steps.push({ row, label, x, before, after: w });
  }
  const radius2 = fraction(square, unit * unit);
  return { steps, unit, scale, rate, point: hull?.point ?? null, radius2 };
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

/**
 * Returns a row moved along the line of u: a mistake, far away, and w does not end up along u.
 * way: how far the one before went; half of it is where the search begins
 */
function movedRow(x, { along, before, after, isWrong, label, far, way }) {
  const side = dotExact(before, along);
  const direction = side * BigInt(label) > 0n ? -1n : 1n;
  for (let share = direction * (way / 2n + 1n); ; share += direction + share / FINE_SHARE) {
    const moved = x.map((cell, j) => cell + share * along[j]);
    const isMistake = side === 0n || isWrong(moved); // there a move changes no score
    if (isMistake && dotExact(moved, moved) >= far && dotExact(after(moved), along) !== 0n) return moved;
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
 * @returns {{gain: Fraction|null, rise: Fraction|null, middle: Fraction, last: Fraction,
 *   length: Fraction, most: Fraction, limit: Fraction|null, failed: string[]}}
 *   gain: η y u·x in γ, at least 1; rise: u·w in γ, at least t; middle: 2η y w·x, at most 0;
 *   last: η²‖x‖², at most R²; length: ‖w‖², at most `most` = tR²; limit: (R/γ)², at least t ("end")
 */
export function linesAfter({ steps, unit, scale, rate, point, radius2 }, t) {
  const { x, label, before, after } = steps[t - 1];
  const eta = fraction(1n, rate ** BigInt(t - 1));
  const one = fraction(1n);
  const gamma2 = point && dotExact(point, point);
  const sides = {
    gain: point && product(eta, fraction(BigInt(label) * dotExact(point, x), gamma2)),
    rise: point && fraction(dotExact(point, after), gamma2 * scale),
    middle: product(eta, fraction(2n * BigInt(label) * dotExact(before, x), unit * unit * scale)),
    last: product(product(eta, eta), fraction(dotExact(x, x), unit * unit)),
    length: fraction(dotExact(after, after), (unit * scale) ** 2n),
    most: product(radius2, fraction(BigInt(t))),
    limit: point && ratio(radius2, fraction(gamma2, unit * unit)),
  };
  const holds = {
    gain: point && isAtMost(one, sides.gain),
    rise: point && isAtMost(fraction(BigInt(t)), sides.rise),
    middle: sides.middle.top <= 0n,
    last: isAtMost(sides.last, radius2),
    length: isAtMost(sides.length, sides.most),
    end: point && isAtMost(fraction(BigInt(t)), sides.limit),
  };
  return { ...sides, failed: Object.keys(holds).filter((name) => !holds[name]) };
}

function isAtMost(a, b) {
  return a.top * b.bottom <= b.top * a.bottom;
}
