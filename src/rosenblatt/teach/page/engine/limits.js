// How large and how small a number may be: within these limits squares and quotients stay numbers.
// And how many points there may be.

/** The size of a coordinate, of η or of a start: 0, or from SMALLEST to LARGEST. */
export const SMALLEST = 1e-20;
export const LARGEST = 1e9;

/** The largest number of points that the page shows. */
export const POINT_LIMIT = 500;

/** Throws a RangeError for more points than the page shows. */
export function checkPointCount(points) {
  if (points.length > POINT_LIMIT) throw new CountError(points.length);
}

/** An error about too many points. */
export class CountError extends RangeError {
  constructor(count) {
    super(`at most ${POINT_LIMIT} points can be shown, got ${count}`);
    this.count = count;
  }
}

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
