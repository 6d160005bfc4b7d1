// The broken proof of the model: its run without an assumption, and the step that is shown.

import { brokenRun, linesAfter } from "../engine/broken.js";
import { oncePer } from "./model.js";

/** The line of the proof that needs each assumption. */
const NEEDS = { margin: "gain", radius: "last", mistakes: "middle", rate: "gain", start: "rise" };

const runsOnce = oncePer((found) => oncePer((run) => oncePerName(runWithout(run, found))));

/** Returns a function that computes once for each name. */
function oncePerName(compute) {
  const kept = {};
  return (name, ...rest) => (kept[name] ??= compute(name, ...rest));
}

/** Returns the run without an assumption, with its lines by step. */
function runWithout(run, found) {
  return (removed, order) => {
    const rows = Array.isArray(order) ? order : run.labels.map((_, row) => row);
    const broken = brokenRun(run, found, removed, rows);
    return { ...broken, linesAfter: oncePerName((t) => linesAfter(broken, t)) };
  };
}

/**
 * Returns what the model shows of the broken proof; it has at least one point.
 * @returns {{removed: string, run: BrokenRun, t: number, lines: object|0, fails: boolean}}
 *   removed: "none" without a separator; t: the step that is shown, at first the one at which the
 *   line that needs it fails; 0 of a run without a step; fails: whether there is such a step
 */
export function brokenNow({ run, found, fields }) {
  const removed = found.separable ? fields.broken : "none";
  const needs = NEEDS[removed] ?? null;
  const broken = runsOnce(found)(run)(removed, fields.order);
  const last = broken.steps.length;
  const fails = (_, k) => broken.linesAfter(k + 1).failed.includes(needs);
  const first = needs === null ? 0 : broken.steps.findIndex(fails) + 1;
  const t = Math.min(fields.brokenStep ?? (first || last), last);
  return { removed, run: broken, t, lines: t && broken.linesAfter(t), fails: first > 0 };
}

/** Goes to a step of the broken run. */
export function gotoBroken(model, move) {
  const { t, run } = brokenNow(model);
  model.set({ brokenStep: Math.min(Math.max(1, move(t)), run.steps.length) });
}
