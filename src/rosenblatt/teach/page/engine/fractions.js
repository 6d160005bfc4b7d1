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

/** Returns a fraction as a decimal where it is one, "-0.25", else as text: "1/3". */
export function decimalText({ top, bottom }) {
  const digits = bottom.toString(2).length - 1; // enough for every power of 2 and of 5
  const power = 10n ** BigInt(digits);
  if (power % bottom !== 0n) return fractionText({ top, bottom });
  const size = String(((top < 0n ? -top : top) * power) / bottom).padStart(digits + 1, "0");
  const [whole, rest] = [size.slice(0, size.length - digits), size.slice(size.length - digits)];
  const decimals = rest.replace(/0+$/, "");
  return `${top < 0n ? "-" : ""}${whole}${decimals ? `.${decimals}` : ""}`;
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
