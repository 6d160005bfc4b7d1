// An example in whole numbers: its decimals over powers of ten, so that a run is exact.

import { startVector } from "./conventions.js";
import { asIntegers } from "./decimals.js";

/** The largest whole number up to which floats have every one: within it they are exact, and fast. */
export const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

/** The largest power of ten that is a float: a quotient by one is rounded once. */
const MOST_DIGITS = 22;

/**
 * @typedef {object} Whole numbers (BigInt where floats have not all that may occur)
 * @property {boolean} dual true if rows are those of a Gram matrix, and a vector is α
 * @property {(number|bigint)[][]} rows the stored rows over 10^rowDigits
 * @property {(number|bigint)[][]} steps what a mistake adds, η y x, over 10^digits
 * @property {(number|bigint)[][]} weights the stored vectors over 10^digits: the start, until a run adds more
 * @property {number} rowDigits
 * @property {number} digits
 */

/** Returns stored rows, their steps and the start in whole numbers, for a run of so many looks. */
export function wholeNumbers(stored, labels, conventions, looks) {
  const rows = asIntegers(stored.flat());
  const rate = asIntegers([conventions.eta]);
  const start = asIntegers(startVector(conventions));
  const digits = Math.max(start.digits, rate.digits + rows.digits);
  const eta = rate.integers[0] * 10n ** BigInt(digits - rate.digits - rows.digits);
  const first = start.integers.map((cell) => cell * 10n ** BigInt(digits - start.digits));
  const [far, begin] = [largestOf(rows.integers), largestOf(first)];
  const terms = BigInt(first.length);
  const fits = terms * far * (begin + BigInt(looks) * eta * far) <= EXACT;
  const [whole, rateNow] = fits ? [Number, Number(eta)] : [(cell) => cell, eta];
  const cut = stored.map((x, row) =>
    rows.integers.slice(row * x.length, (row + 1) * x.length).map(whole),
  );
  return {
    dual: false,
    rows: cut,
    steps: cut.map((x, row) => x.map((cell) => (labels[row] > 0 ? cell : -cell) * rateNow)),
    weights: [first.map(whole)],
    rowDigits: rows.digits,
    digits,
  };
}

/** Returns the largest size of whole numbers. */
export function largestOf(integers) {
  return integers.reduce((most, cell) => {
    const size = cell < 0n ? -cell : cell;
    return size > most ? size : most;
  }, 0n);
}

/** Returns the float that is nearest to a whole number over 10^digits. */
export function decimalAsFloat(whole, digits) {
  if (digits === 0) return Number(whole);
  const isShort = typeof whole === "number" && digits <= MOST_DIGITS;
  return isShort ? whole / Number(`1e${digits}`) : Number(`${whole}e-${digits}`);
}
