// What the lectures leave open: the sign of zero, the offset, the rate, the start, the pick, the end.

import { checkSizes } from "./limits.js";

/**
 * @typedef {object} Conventions
 * @property {-1|0|1} tie the prediction for a score of 0; 0 is a mistake for either label
 * @property {"none"|"first"|"last"} offset where the constant 1 stands in a stored row
 * @property {number} eta the learning rate
 * @property {number[]|null} start the first (w1, w2, b); null is 0
 * @property {"every"|"first"|"last"|"next"|"worst"|"random"} pick
 *   every row in turn, or only a misclassified one: which
 * @property {"right"|"quiet"|"pass"} stop all rows right, an epoch without a mistake, or one pass
 * @property {number} seed of the orders that are drawn
 */

/** The values that each convention may have; the first of each is the default. */
export const CHOICES = {
  tie: [-1, 0, 1],
  offset: ["last", "first", "none"],
  pick: ["every", "first", "last", "next", "worst", "random"],
  stop: ["right", "quiet", "pass"],
};

/** @type {Conventions} */
export const DEFAULTS = Object.freeze({
  tie: -1,
  offset: "last",
  eta: 1,
  start: null,
  pick: "every",
  stop: "right",
  seed: 0,
});

/** The conventions of each source; its name is in the strings. @type {Record<string, Conventions>} */
export const SOURCES = {
  lecture25: { ...DEFAULTS, offset: "none", stop: "pass" },
  online: { ...DEFAULTS, tie: 1, offset: "none", stop: "pass" },
  kernels: { ...DEFAULTS },
  ece146: { ...DEFAULTS, tie: 1, offset: "first", pick: "first" },
  notebook: { ...DEFAULTS, tie: 0, offset: "first", start: [0.25, 0.5, 0.75], stop: "quiet" },
  sklearn: { ...DEFAULTS, tie: 0, stop: "quiet" },
};

/** Returns complete conventions; a value that is not possible or beyond the limits is an error. */
export function completeConventions(partial = {}) {
  const conventions = { ...DEFAULTS, ...partial };
  for (const name of Object.keys(partial)) {
    if (!(name in DEFAULTS)) throw new RangeError(`no convention is called ${name}`);
  }
  for (const [name, values] of Object.entries(CHOICES)) {
    if (!values.includes(conventions[name])) {
      throw new RangeError(`${name} must be one of ${values.join(", ")}, got ${conventions[name]}`);
    }
  }
  if (!(conventions.eta > 0 && Number.isFinite(conventions.eta))) {
    throw new RangeError(`eta must be above 0, got ${conventions.eta}`);
  }
  if (conventions.start !== null) {
    const length = conventions.offset === "none" ? [2, 3] : [3];
    if (!length.includes(conventions.start.length) || !conventions.start.every(Number.isFinite)) {
      throw new RangeError(`start must be (w1, w2, b), got ${conventions.start}`);
    }
  }
  checkSizes([conventions.eta, ...(conventions.start ?? [])]);
  return conventions;
}

/** Returns the name of the source with these conventions, or null. */
export function sourceOf(conventions) {
  const text = (c) => JSON.stringify(Object.keys(DEFAULTS).map((key) => c[key]));
  const found = Object.entries(SOURCES).find(([, c]) => text(c) === text(conventions));
  return found ? found[0] : null;
}

/** Returns the row as it is stored and scored: with the constant 1 where the convention has one. */
export function storedRow(point, offset) {
  if (offset === "none") return [point[0], point[1]];
  return offset === "first" ? [1, point[0], point[1]] : [point[0], point[1], 1];
}

/** Returns the stored vector as the line w·x + b = 0. */
export function asLine(stored, offset) {
  if (offset === "none") return { w: [stored[0], stored[1]], b: 0 };
  if (offset === "first") return { w: [stored[1], stored[2]], b: stored[0] };
  return { w: [stored[0], stored[1]], b: stored[2] };
}

/** Returns the first stored vector. */
export function startVector({ start, offset }) {
  const [w1, w2, b] = start ?? [0, 0, 0];
  if (offset === "none") return [w1, w2];
  return offset === "first" ? [b, w1, w2] : [w1, w2, b];
}
