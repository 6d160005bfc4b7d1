// Is there a separator? The largest margin with its bound, or integers that prove that there is none.

import { startVector, storedRow } from "./conventions.js";
import { asIntegers } from "./decimals.js";
import { floorOfFraction, fraction, fractionAsFloat, sumOf } from "./fractions.js";
import { dotExact, nearestPoint, quotient } from "./nearest.js";
import { dot } from "./run.js";

/**
 * @typedef {object} Separability
 * @property {boolean} separable
 * @property {number} radius R, the largest length of a stored row
 * @property {number} gamma γ, the largest min y (u·x) of a unit u; 0 if there is no separator
 * @property {number[]|null} u the stored direction of the largest γ
 * @property {number|null} limit the theorem's bound on the mistakes: (R/γ)² from w₀ = 0, else
 *   ‖w₀/η − αu‖²/R² with α = R²/γ
 * @property {number|null} bound the largest number of mistakes that it allows, ⌊limit⌋
 * @property {number|null} meeting the t at which the floor of u·w meets the ceiling of ‖w‖: the
 *   limit from w₀ = 0, else at most the limit
 * @property {number[]} support the rows with the smallest y (u·x) that fix u
 * @property {{point: bigint[], total: bigint}|null} hull point / total is the point of the hull of
 *   the y x that is nearest to 0, in units of their last decimal; null if there is no separator
 * @property {Certificate|null} certificate of non-separability
 */

/**
 * @typedef {object} Certificate
 * @property {number[]} rows
 * @property {number[]} multipliers positive integers, one a row: Σ multiplier · y · (x, 1) = 0
 * @property {"point"|"pair"|"segment"|"triangle"|"crossing"|"cone"} kind the picture of the proof
 */

/** Decides exactly whether a line (through the origin, without an offset) separates the points. */
export function separate(points, labels, conventions) {
  const stored = points.map((point) => storedRow(point, conventions.offset));
  const radius = Math.sqrt(Math.max(0, ...stored.map((x) => dot(x, x))));
  const none = {
    separable: true,
    radius,
    gamma: 0,
    u: null,
    limit: null,
    bound: null,
    meeting: null,
    support: [],
    hull: null,
    certificate: null,
  };
  if (points.length === 0) return none;
  const { vectors, unit } = signedIntegers(stored, labels);
  const nearest = nearestPoint(vectors);
  const { rows, multipliers, point, total } = nearest;
  const square = dotExact(point, point);
  if (square === 0n) {
    const kind = kindOf(rows, labels, conventions.offset);
    const certificate = { rows, multipliers: multipliers.map(Number), kind };
    return { ...none, separable: false, certificate };
  }
  const nearestTo0 = point.map((value) => quotient(value, total * unit));
  const gamma = Math.hypot(...nearestTo0);
  const u = nearestTo0.map((value) => value / gamma);
  const largest = vectors.map((z) => dotExact(z, z)).reduce((a, b) => (a > b ? a : b));
  const allowed = limitFrom(conventions, { point, total, square, largest, unit });
  const [limit, bound] = [fractionAsFloat(allowed), Number(floorOfFraction(allowed))];
  const meeting = meetingOf(conventions, radius, gamma, u);
  return { ...none, gamma, u, limit, bound, meeting, support: rows, hull: { point, total } };
}

/** Returns whether a run begins at w₀ = 0: then the bound is (R/γ)², whatever η is. */
export function isFromZero(conventions) {
  return startVector(conventions).every((w) => w === 0);
}

/**
 * Returns ‖w₀/η − αu‖²/R² with α = R²/γ, the bound from any start: with p = γu it is
 * R²/γ² − 2 p·w₀/(ηγ²) + ‖w₀‖²/(ηR)². p is point/total and R² is largest, in units and their squares.
 */
function limitFrom(conventions, { point, total, square, largest, unit }) {
  const start = asIntegers(startVector(conventions));
  const rate = asIntegers([conventions.eta]);
  const [below, above] = [10n ** BigInt(start.digits) * rate.integers[0], 10n ** BigInt(rate.digits) * unit];
  const along = dotExact(point, start.integers);
  const length = dotExact(start.integers, start.integers);
  return sumOf(
    fraction((largest * total * below - 2n * along * above) * total, square * below),
    fraction(length * above * above, below * below * largest),
  );
}

/** Returns the larger t with (u·w₀ + tηγ)² = ‖w₀‖² + tη²R², which is at most the bound. */
function meetingOf(conventions, radius, gamma, u) {
  const start = startVector(conventions).map((w) => w / conventions.eta);
  const along = dot(u, start);
  const half = ((radius / gamma) ** 2 - (2 * along) / gamma) / 2;
  const aside = Math.max(0, dot(start, start) - along * along) / gamma ** 2;
  const root = Math.sqrt(half * half + aside);
  return half > 0 ? half + root : aside / (root - half || 1);
}

/** Returns y·x of every stored row in whole units of 1/unit. */
function signedIntegers(stored, labels) {
  const { integers, digits } = asIntegers(stored.flat());
  const width = stored[0].length;
  const vectors = labels.map((label, row) =>
    integers.slice(row * width, (row + 1) * width).map((cell) => BigInt(label) * cell),
  );
  return { vectors, unit: 10n ** BigInt(digits) };
}

/** Returns the picture of a proof: what the mixed points of the two classes have in common. */
function kindOf(rows, labels, offset) {
  if (rows.length === 1) return "point";
  if (rows.length === 2) return "pair";
  if (offset === "none") return "cone";
  if (rows.length === 3) return "segment";
  const positive = rows.filter((row) => labels[row] > 0).length;
  return positive === 2 ? "crossing" : "triangle";
}

/**
 * Returns both sides of the two claims of the theorem after each mistake, from any start.
 * @returns {{projection: number[]|null, least: number[]|null, squares: number[], most: number[]}}
 */
export function claimsOf(run, found) {
  const { eta } = run.conventions;
  const [w0] = run.weights;
  const start = dot(w0, w0);
  const along = found.u === null ? 0 : dot(found.u, w0);
  return {
    projection: found.u && run.weights.map((w) => dot(found.u, w)),
    least: found.u && run.weights.map((_, t) => along + t * eta * found.gamma),
    squares: run.weights.map((w) => dot(w, w)),
    most: run.weights.map((_, t) => start + t * (eta * found.radius) ** 2),
  };
}
