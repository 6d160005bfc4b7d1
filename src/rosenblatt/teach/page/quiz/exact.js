// The numbers of a look as fractions: what an exercise asks for is never rounded.

import { asLine } from "../engine/conventions.js";
import { decimalText, fraction } from "../engine/fractions.js";
import { dotExact } from "../engine/nearest.js";
import { mistakesBefore } from "../engine/run.js";

/** Returns a stored vector over 10^digits as the fractions w₁, w₂ and, with an offset, b. */
export function exactLine(run, vector) {
  const unit = 10n ** BigInt(run.whole.digits);
  const { offset } = run.conventions;
  const { w, b } = asLine(vector.map((value) => fraction(BigInt(value), unit)), offset);
  return offset === "none" ? w : [...w, b];
}

/** Returns the vector before look t as fractions. */
export function exactLineAt(run, t) {
  return exactLine(run, run.whole.weights[mistakesBefore(run, t)]);
}

/** Returns what a mistake on a row adds, η y x, as fractions. */
export function exactStep(run, row) {
  return exactLine(run, run.whole.steps[row]);
}

/** Returns the score of a row after some mistakes as a fraction. */
export function exactScore({ whole }, mistakes, row) {
  const [w, x] = [whole.weights[mistakes], whole.rows[row]].map((vector) => vector.map(BigInt));
  return fraction(dotExact(w, x), 10n ** BigInt(whole.digits + whole.rowDigits));
}

/** Returns a fraction in words: −0.25, or −1/3. */
export function exactWords(value) {
  return decimalText(value).replace("-", "−");
}

/** Returns fractions as a vector: (2, −0.25). */
export function exactVector(values) {
  return `(${values.map(exactWords).join(", ")})`;
}

/** Returns a point as it is written in decimals: (2, −0.25). */
export function pointWords(point) {
  return `(${point.map((value) => String(value).replace("-", "−")).join(", ")})`;
}
