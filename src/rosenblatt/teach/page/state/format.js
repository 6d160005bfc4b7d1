// Numbers as a lecturer writes them.

import { fractionAsFloat, fractionText } from "../engine/fractions.js";

/** Below and above these sizes a number has an exponent. */
const [FINE, LARGE] = [0.0005, 1e12];

/** Returns a number with at most three decimals, or three digits and an exponent: 12,345.678. */
export function number(value) {
  return grouped(coordinate(value));
}

/** Returns a number as it is typed, without groups: commas stand between those of a vector. */
function coordinate(value) {
  const size = Math.abs(value);
  if (value !== 0 && (size < FINE || size >= LARGE)) return power(Number(value.toPrecision(3)));
  return String(Number(value.toFixed(3)) + 0).replace("-", "−");
}

/** Returns a number, or a text that begins with one, with its whole digits in groups of three. */
export function grouped(value) {
  return String(value).replace(/\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** Returns a number as digits and an exponent: 1.5e−7, 1e9. */
export function power(value) {
  return value.toExponential().replace("+", "").replaceAll("-", "−");
}

/** The most letters of a fraction that can be read at a glance. */
const SHORT = 10;

/** Returns a fraction as it is, 25/26, or as a decimal where its numbers are long. */
export function fractionWords(value) {
  return fractionWithin(value, SHORT);
}

/** Returns a fraction as it is, or as a decimal where it has more letters. */
function fractionWithin(value, letters) {
  const text = fractionText(value);
  return text.length > letters ? `≈ ${number(fractionAsFloat(value))}` : text.replace("-", "−");
}

/** Returns what a value is equal to: "= 25/26", or "≈ 0.962" where its numbers are long. */
export function equals(value, letters = SHORT) {
  const words = fractionWithin(value, letters);
  return words.startsWith("≈") ? words : `= ${words}`;
}

/** Returns a number with its sign: +1, −1, 0. */
export function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

/** Returns a number, in brackets if it is negative. */
export function factor(value) {
  return value < 0 ? `(${coordinate(value)})` : coordinate(value);
}

/** Returns a vector: (2, −1). */
export function vector(values) {
  return `(${values.map(coordinate).join(", ")})`;
}

/** Returns w·x + b written out: 1·2 + (−3)·(−1) + 0. */
export function scoreTerms({ w, b }, x, withOffset) {
  const products = w.map((value, j) => `${factor(value)}·${factor(x[j])}`).join(" + ");
  return withOffset ? `${products} + ${factor(b)}` : products;
}

/** Returns Σ multiplier·(x, y) of some rows: 1·(2, 3) + 1·(3, 2). */
export function weightedPoints(points, rows, multipliers) {
  return rows.map((row, i) => `${multipliers[i]}·${vector(points[row])}`).join(" + ");
}

/** Returns "1 mistake" or "2,345 mistakes". */
export function count(n, one, many = `${one}s`) {
  return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** Returns a whole number as a subscript. */
export function subscript(k) {
  return String(k).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);
}
