// Numbers and times as a reader wants them.

const LONGEST = 60; // characters
const whole = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });

/** Returns a whole number: 1,234, or from a hundred thousand on 123K. */
export function size(n) {
  return n < 100_000 ? whole.format(n) : short.format(n);
}

/** Returns "1 example" or "2 examples". */
export function count(n, one) {
  return `${size(n)} ${n === 1 ? one : `${one}s`}`;
}

/** Returns a share in percent with one decimal, two below 1 %. */
export function percent(share) {
  const value = 100 * share;
  return `${value.toFixed(value > 0 && value < 0.995 ? 2 : 1)}\u00a0%`;
}

/** Returns a label or name for a sentence: its beginning, if it is long. */
export function brief(value) {
  const text = String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/** Returns a number a second, with three digits. */
export function rate(value) {
  if (value === null) return "–";
  return value < 100 ? String(Number(value.toPrecision(2))) : size(Math.round(value));
}

/** Returns a weight with three digits and a true minus sign. */
export function weight(value) {
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

/** Returns seconds in the unit that suits them. */
export function seconds(value) {
  if (value === null) return "–";
  if (value < 0.001) return `${Number((value * 1e6).toPrecision(2))} µs`;
  if (value < 1) return `${Number((value * 1e3).toPrecision(2))} ms`;
  return `${Number(value.toPrecision(2))} s`;
}

/** Returns a time of day, with the date unless it is today's. */
export function time(stamp) {
  const date = new Date(1000 * stamp);
  const today = date.toDateString() === new Date().toDateString();
  const day = today ? {} : { day: "numeric", month: "short" };
  return date.toLocaleString([], { ...day, hour: "2-digit", minute: "2-digit" });
}
