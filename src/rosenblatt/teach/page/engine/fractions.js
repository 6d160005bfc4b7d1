// Fractions of whole numbers, reduced.

import { asIntegers } from "./decimals.js";
import { greatestDivisor, quotient } from "./nearest.js";

/** @typedef {{top: bigint, bottom: bigint}} Fraction bottom is above 0 */

/** Returns top / bottom for bottom > 0. @returns {Fraction} */
export function fraction(top, bottom = 1n) {
  const common = greatestDivisor(top < 0n ? -top : top, bottom);
  return { top: top / common, bottom: bottom / common };
}

/** Returns a decimal as it is written. */
export function decimalFraction(value) {
  const { integers, digits } = asIntegers([value]);
  return fraction(integers[0], 10n ** BigInt(digits));
}

/** Returns a / b for b > 0. */
export function ratio(a, b) {
  return fraction(a.top * b.bottom, a.bottom * b.top);
}

/** Returns the largest whole number that is not above a fraction >= 0. */
export function floorOfFraction({ top, bottom }) {
  return top / bottom;
}

/** Returns a fraction as text: "3", "-7/2". */
export function fractionText({ top, bottom }) {
  return bottom === 1n ? String(top) : `${top}/${bottom}`;
}

/** Returns a fraction as a float. */
export function fractionAsFloat({ top, bottom }) {
  return quotient(top, bottom);
}

/** Returns a · b. */
export function product(a, b) {
  return fraction(a.top * b.top, a.bottom * b.bottom);
}

/** Returns a + b. */
export function sumOf(a, b) {
  return fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
}

/** Returns a − b. */
export function difference(a, b) {
  return fraction(a.top * b.bottom - b.top * a.bottom, a.bottom * b.bottom);
}
