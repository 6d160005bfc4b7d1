// What the lessons share: how their states are written, and the points of the proof.

/** Beside the plane: the step alone, or the open tab alone. */
export const STEP = { hidden: ["proof", "weights", "table"] };
export const PANEL = { hidden: ["step"] };

/** A look after the last one: the end of the run. */
export const END = 10000;

/** Points through the origin with u = (3/5, 4/5), γ = 1 and R = 6. */
export const SIX = [
  [0, -4, -1],
  [5, -2, 1],
  [1, -2, -1],
  [-3, 4, 1],
  [-6, 0, -1],
  [3, -1, 1],
  [-4, 1, -1],
];

/** Returns the states of paragraphs on one example. */
export function on(example, ...paragraphs) {
  return paragraphs.map((paragraph) => ({ ...example, ...paragraph }));
}
