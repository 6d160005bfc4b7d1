// The points to begin with.

const ring = Array.from({ length: 10 }, (_, i) => {
  const angle = (2 * Math.PI * i) / 10;
  return [Math.round(6 * Math.cos(angle)), Math.round(6 * Math.sin(angle)), -1];
});

/** Points as [x, y, label]; the names of the examples are in the strings. */
export const EXAMPLES = {
  eight: [
    [-4, -1, 1],
    [2, 1, 1],
    [4, -4, -1],
    [5, 2, 1],
    [-5, 1, 1],
    [1, -4, -1],
    [-3, -4, -1],
    [5, -2, -1],
  ],
  two: [
    [1, 2, 1],
    [2, 1, -1],
  ],
  wide: [
    [5, 4, 1],
    [-5, -3, -1],
    [3, 6, 1],
    [-4, -6, -1],
    [6, 2, 1],
    [-6, -4, -1],
  ],
  thin: [
    [5, -4, -1],
    [2, -1, -1],
    [3, 0, 1],
    [-5, 6, -1],
    [-3, 6, 1],
    [0, 1, -1],
    [1, 2, 1],
    [6, -3, 1],
  ],
  shifted: [
    [6, 7, 1],
    [7, 5, -1],
    [5, 6, 1],
    [6, 4, -1],
    [7, 8, 1],
    [8, 6, -1],
  ],
  outlier: [
    [4, 3, 1],
    [-3, -4, -1],
    [5, 5, 1],
    [-5, -3, -1],
    [3, 6, 1],
    [-4, -6, -1],
    [6, 4, 1],
    [-1, 0, 1],
    [0, -1, -1],
  ],
  segment: [
    [2, 3, 1],
    [3, 2, 1],
    [2.5, 2.5, -1],
    [-3, -2, -1],
    [-2, -4, -1],
    [5, 5, 1],
  ],
  xor: [
    [3, 3, 1],
    [-3, 3, -1],
    [-3, -3, 1],
    [3, -3, -1],
  ],
  overlap: [
    [5, 3, 1],
    [-4, -4, -1],
    [3, 5, 1],
    [-5, 2, -1],
    [6, -2, 1],
    [2, -5, -1],
    [-2, 1, 1],
    [1, 2, -1],
    [4, -1, 1],
    [-1, -3, -1],
  ],
  ring: [[0, 0, 1], [1, 2, 1], [-2, 1, 1], [2, -1, 1], [-1, -2, 1], ...ring],
};

/** Returns the points and the labels of an example. */
export function exampleOf(name) {
  return splitRows(EXAMPLES[name]);
}

/** Splits rows [x, y, label] into points and labels. */
export function splitRows(rows) {
  return { points: rows.map(([x, y]) => [x, y]), labels: rows.map((row) => row[2]) };
}
