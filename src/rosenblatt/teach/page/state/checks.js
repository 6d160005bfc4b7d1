// Checks of what an address holds: a link may be damaged, or written by hand.

import { DEGREES } from "../engine/dual.js";
import { completeConventions } from "../engine/conventions.js";
import { checkPointCount, checkSizes } from "../engine/limits.js";
import { strings } from "../strings.js";

/** What a recorded run has: its lists, and how it ended. */
const RECORDED = ["rows", "scores", "predictions", "wrong", "weights", "used", "epochStarts", "status"];

/** The labels of points; 0 is the notebook's name of −1. */
export const LABELS = [-1, 0, 1];

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
  const chosen = completeConventions(conventions);
  if (!Array.isArray(points) || !points.every(isRow)) return false;
  checkPointCount(points);
  checkSizes(points.flat());
  return (
    isOrder(order, points.length) &&
    (recorded === null || isRecorded(recorded, points.length, chosen)) &&
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

/** Returns whether a recorded run is one of so many points: its looks, and a vector after each mistake. */
function isRecorded(recorded, count, { offset }) {
  if (!isObject(recorded) || !Object.keys(recorded).every((name) => RECORDED.includes(name))) return false;
  const { status, ...lists } = recorded;
  if (!RECORDED.every((name) => name === "status" || Array.isArray(lists[name]))) return false;
  const { rows, scores, predictions, wrong, weights, used, epochStarts } = lists;
  const width = offset === "none" ? 2 : 3;
  const isVector = (w) => Array.isArray(w) && w.length === width && w.every(Number.isFinite);
  let mistakes = 0;
  const isLook = (row, t) => {
    const isCounted = used[t] === mistakes;
    mistakes += Number(wrong[t]);
    return isCounted && Number.isInteger(row) && row >= 0 && row < count;
  };
  return (
    Object.hasOwn(strings.doneTexts, status) &&
    [scores, predictions, wrong, used].every(({ length }) => length === rows.length) &&
    [scores, predictions, epochStarts].every((numbers) => numbers.every(Number.isFinite)) &&
    wrong.every((value) => typeof value === "boolean") &&
    rows.every(isLook) &&
    weights.length === mistakes + 1 &&
    weights.every(isVector)
  );
}

function isRow(row) {
  return Array.isArray(row) && row.length === 3 && row.every(Number.isFinite) && LABELS.includes(row[2]);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value) {
  return typeof value === "string";
}
