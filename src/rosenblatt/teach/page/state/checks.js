// Checks of what an address holds: a link may be damaged, or written by hand.

import { DEGREES } from "../engine/dual.js";
import { completeConventions } from "../engine/conventions.js";
import { checkPointCount, checkSizes } from "../engine/limits.js";
import { strings } from "../strings.js";

/** The lists of a recorded run. */
const RECORDED = ["rows", "scores", "predictions", "wrong", "weights", "used", "epochStarts"];

/** The names that a state may have; it is shown without others. */
const NAMES = {
  tab: Object.keys(strings.tabs),
  idea: Object.keys(strings.ideas),
  broken: Object.keys(strings.assumptions),
  beyond: Object.keys(strings.beyond),
  degree: DEGREES,
  quiz: ["", ...Object.keys(strings.questions)],
  hidden: [...Object.keys(strings.hidden), ...Object.keys(strings.tabs)],
  locked: Object.keys(strings.locked),
};

/** Returns a packed state without the names that the page does not have, and words about each. */
export function withoutUnknown(packed) {
  const known = { ...packed };
  const faults = [];
  for (const [field, names] of Object.entries(NAMES)) {
    if (!(field in packed)) continue;
    const isKnown = (name) => names.includes(name);
    const unknown = [packed[field]].flat().filter((name) => !isKnown(name));
    faults.push(...unknown.map((name) => strings.unknownNames[field](name)));
    if (Array.isArray(packed[field])) known[field] = packed[field].filter(isKnown);
    else if (unknown.length > 0) delete known[field];
  }
  return { known, faults };
}

/**
 * Returns whether a packed state can be shown. An impossible convention and a number beyond the
 * limits are errors.
 */
export function isState(packed) {
  if (!isObject(packed)) return false;
  const { points = [], order = "cyclic", conventions = {}, recorded = null } = packed;
  const { t = 0, asking = false, degree = 2, note = "", lights = "", hidden = [], locked = [] } = packed;
  const { tab = "", idea = "", broken = "", beyond = "", quiz = "" } = packed;
  const { axes = ["", ""], classes = ["", ""] } = packed;
  completeConventions(conventions);
  if (!Array.isArray(points) || !points.every(isRow)) return false;
  checkPointCount(points);
  checkSizes(points.flat());
  return (
    isOrder(order, points.length) &&
    (recorded === null || RECORDED.every((name) => Array.isArray(recorded[name]))) &&
    [t, degree].every(Number.isFinite) &&
    typeof asking === "boolean" &&
    [note, lights, tab, idea, broken, beyond, quiz].every(isText) &&
    [axes, classes].every((names) => Array.isArray(names) && names.length === 2) &&
    [hidden, locked, axes, classes].every((names) => Array.isArray(names) && names.every(isText))
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
