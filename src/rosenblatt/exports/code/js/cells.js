// --- cells --------------------------------------------------------------------------------------

// A number as Python spells it; whole ones have no point.
function spellNumber(x) {
  if (Number.isInteger(x) && Math.abs(x) < 2 ** 63) return BigInt(x).toString();
  if (!Number.isFinite(x)) return String(x).replace("Infinity", "inf");
  if (Math.abs(x) >= 1e16 || Math.abs(x) < 1e-4)
    return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  return String(x);
}

function spell(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? spellNumber(value) : String(value);
}

const isNothing = value => value === null || value === undefined || Number.isNaN(value);

const NUMBER = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

const TRUTHS = new Map([
  ["True", 1], ["true", 1], ["TRUE", 1], ["False", 0], ["false", 0], ["FALSE", 0],
]);

// The number of a value, NaN if it is none.
function numberOf(value, word) {
  if (typeof value !== "string") return Number(value);
  return TRUTHS.get(word) ?? (NUMBER.test(word) ? Number(word) : NaN);
}

// A text without the blanks around it. A pattern that ends in $ would take quadratic time.
function strip(text, isBlank) {
  let begin = 0, end = text.length;
  while (begin < end && isBlank(text[begin])) ++begin;
  while (begin < end && isBlank(text[end - 1])) --end;
  return text.slice(begin, end);
}

function fault(name, value, expected) {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
  return new TypeError(`${JSON.stringify(name)}: found ${shown}, expected ${expected}.`);
}
