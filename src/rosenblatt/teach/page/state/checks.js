// Checks of what an address holds: a link may be damaged, or written by hand.

import { completeConventions } from "../engine/conventions.js";

/** The lists of a recorded run. */
const RECORDED = ["rows", "scores", "predictions", "wrong", "weights", "used", "epochStarts"];

/** Returns whether a packed state can be shown; an impossible convention is an error. */
export function isState(packed) {
  if (!isObject(packed)) return false;
  const { points = [], order = "cyclic", conventions = {}, recorded = null } = packed;
  const { t = 0, degree = 2, note = "", tab = "", beyond = "", hidden = [], locked = [] } = packed;
  completeConventions(conventions);
  return (
    Array.isArray(points) &&
    points.every(isRow) &&
    isOrder(order, points.length) &&
    (recorded === null || RECORDED.every((name) => Array.isArray(recorded[name]))) &&
    [t, degree].every(Number.isFinite) &&
    [note, tab, beyond].every(isText) &&
    [hidden, locked].every((names) => Array.isArray(names) && names.every(isText))
  );
}

/** Returns whether a lesson can be opened. */
export function isLesson(value) {
  if (!isObject(value)) return false;
  const { title = "", states, at = 0 } = value;
  return (
    isText(title) && Number.isInteger(at) && Array.isArray(states) && states.every(isState)
  );
}

/** Returns whether an order is a name, or a list of all rows. */
export function isOrder(order, count) {
  if (!Array.isArray(order)) return ["cyclic", "shuffled"].includes(order);
  const sorted = [...order].sort((a, b) => a - b);
  return order.length === count && sorted.every((row, i) => row === i);
}

function isRow(row) {
  return Array.isArray(row) && row.length === 3 && row.every(Number.isFinite);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value) {
  return typeof value === "string";
}
