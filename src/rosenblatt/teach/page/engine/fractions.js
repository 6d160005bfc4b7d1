// Fractions of whole numbers, reduced.

import { greatestDivisor } from "./nearest.js";

/** @typedef {{top: bigint, bottom: bigint}} Fraction bottom is above 0 */

/** Returns top / bottom for bottom > 0. @returns {Fraction} */
export function fraction(top, bottom = 1n) {
  const common = greatestDivisor(top < 0n ? -top : top, bottom);
  return { top: top / common, bottom: bottom / common };
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
