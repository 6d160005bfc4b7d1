// Decimals taken as they are written: integers over a power of ten.

/** Returns numbers as integers over 10^digits, from their shortest decimal texts. */
export function asIntegers(values) {
  const cells = values.map(decimalOf);
  const digits = Math.max(0, ...cells.map((cell) => cell.digits));
  return {
    integers: cells.map((cell) => cell.integer * 10n ** BigInt(digits - cell.digits)),
    digits,
  };
}

/**
 * Moves points so that their mean, rounded to the decimals of the points, becomes 0: exactly.
 * @returns {{moved: number[][], mean: number[], digits: number[]}} digits: decimals of each axis
 */
export function centred(points) {
  const axes = [0, 1].map((k) => asIntegers(points.map((x) => x[k])));
  const means = axes.map(({ integers }) => rounded(integers));
  const number = (integer, digits) => Number(`${integer}e-${digits}`);
  return {
    moved: points.map((_, row) =>
      axes.map(({ integers, digits }, k) => number(integers[row] - means[k], digits)),
    ),
    mean: means.map((mean, k) => number(mean, axes[k].digits)),
    digits: axes.map(({ digits }) => digits),
  };
}

/** Returns the mean of integers, rounded to an integer; a half goes up. */
function rounded(integers) {
  const [sum, n] = [integers.reduce((a, b) => a + b, 0n), BigInt(integers.length)];
  const [twice, double] = [2n * sum + n, 2n * n];
  const quotient = twice / double;
  return twice % double < 0n ? quotient - 1n : quotient;
}

function decimalOf(value) {
  const [mantissa, exponent = "0"] = String(value).split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  const digits = fraction.length - Number(exponent);
  const integer = BigInt(whole + fraction);
  return digits >= 0
    ? { integer, digits }
    : { integer: integer * 10n ** BigInt(-digits), digits: 0 };
}
