// How large and how small a number may be: within these limits squares and quotients stay numbers.

/** The size of a coordinate, of η or of a start: 0, or from SMALLEST to LARGEST. */
export const SMALLEST = 1e-20;
export const LARGEST = 1e9;

/** An error about a number beyond the limits. */
export class LimitError extends RangeError {
  constructor(value) {
    super(`numbers must be 0, or from ${SMALLEST} to ${LARGEST} in size, got ${value}`);
    this.value = value;
  }
}

/** Returns whether a number is within the limits. */
export function isWithin(value) {
  const size = Math.abs(value);
  return value === 0 || (size >= SMALLEST && size <= LARGEST);
}

/** Throws a LimitError for the first number beyond the limits. */
export function checkSizes(values) {
  const wrong = values.find((value) => !isWithin(value));
  if (wrong !== undefined) throw new LimitError(wrong);
}
