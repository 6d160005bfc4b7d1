// Numbers as a reader types them: with a decimal point or comma, as fractions, and several in a line.

import { fraction, ratio } from "../engine/fractions.js";

/** A decimal: sign, digits, a point or a comma, an exponent of at most two digits. */
const DECIMAL = /^([+-]?)(?=[.,]?\d)(\d*)(?:[.,](\d*))?(?:e([+-]?\d{1,2}))?$/i;

/** The most letters that are read as a number. */
const LONGEST_NUMBER = 60;

/** A number with a decimal comma. */
const DECIMAL_COMMA = /^[+-]?\d*,\d+(e[+-]?\d+)?$/i;

/**
 * A comma before three digits: the page writes one thousand so, and many languages decimals. (A
 * lookbehind would be shorter, and a page without a script in browsers older than 2023.)
 */
const GROUP_OR_DECIMALS = /(^|[^\d.,])([1-9]\d{0,2}),(\d{3})(?![\d.,e])/gi;

/** Returns the fraction that is typed, "3", "-2.5", "−2,5" or "7/2"; null if it is none. */
export function readFraction(text) {
  const parts = plainText(text).split("/");
  if (text.length > LONGEST_NUMBER || parts.length > 2) return null;
  const [above, below = fraction(1n)] = parts.map(typedDecimal);
  if (!above || !below || below.top <= 0n) return null;
  return ratio(above, below);
}

/** Returns the two numbers that a typed one can be, of "1,234" 1234 and 1.234; null of one or of none. */
export function twoNumbers(text) {
  const plain = plainText(text);
  const [whole, decimal] = ["", "."].map((mark) =>
    plain.replace(GROUP_OR_DECIMALS, `$1$2${mark}$3`),
  );
  return whole === decimal || !readFraction(whole) ? null : [whole, decimal];
}

/** Returns the number that is typed, with a decimal point or comma; NaN if it is none. */
export function readDecimal(text) {
  const plain = withPoint(plainText(text));
  return plain === "" ? NaN : Number(plain);
}

/**
 * Returns the cells of a line of so many: between semicolons or tabs, else between spaces where the
 * commas are decimal, as in "1,5 2,5 +1", else between commas or spaces. Numbers have a point.
 */
export function cellsOf(line, counts) {
  const text = line.replace(/−/g, "-").trim();
  const mark = [";", "\t"].find((separator) => text.includes(separator));
  const spaced = text.split(/\s+/).map((cell) => cell.replace(/,$/, ""));
  const isSpaced = counts.includes(spaced.length) && spaced.some((cell) => DECIMAL_COMMA.test(cell));
  const cells = isSpaced && !mark ? spaced : text.split(mark ?? (text.includes(",") ? "," : /\s+/));
  return cells.map((cell) => withPoint(cell.trim().replace(/^"(.*)"$/, "$1")));
}

function plainText(text) {
  return text.replace(/[−–]/g, "-").replace(/\s/g, "");
}

/** Returns a number with a decimal comma with a point; other text as it is. */
function withPoint(cell) {
  return DECIMAL_COMMA.test(cell) ? cell.replace(",", ".") : cell;
}

function typedDecimal(text) {
  const match = DECIMAL.exec(text);
  if (!match) return null;
  const [, sign, whole, decimals = "", exponent = "0"] = match;
  const digits = decimals.length - Number(exponent);
  const size = BigInt(`${sign === "-" ? "-" : ""}${whole}${decimals}`);
  return digits > 0 ? fraction(size, 10n ** BigInt(digits)) : fraction(size * 10n ** BigInt(-digits));
}
