// The one state of the page: the example, the run that follows from it, and what is shown.

import { completeConventions, DEFAULTS } from "../engine/conventions.js";
import { alphaAt, dualTheorem, LIFT, offsetOf, POLYNOMIALS, runDual } from "../engine/dual.js";
import { checkPointCount, checkSizes } from "../engine/limits.js";
import {
  brokenBy,
  epochOf,
  lineAt,
  mistakesBefore,
  recordedRun,
  runPerceptron,
} from "../engine/run.js";
import { separate } from "../engine/separability.js";
import { isOrder, LABELS } from "./checks.js";
import { exampleOf } from "./examples.js";
import { gridOf } from "./grid.js";

const EXAMPLE_KEYS = ["points", "labels", "conventions", "order"];
const UNDO_STEPS = 200;

/** What "undo" brings back. */
const EDITED = ["points", "labels", "axes", "classes", "grid"];

/** Names of the two axes, or of the classes −1 and +1: none. */
const NO_NAMES = ["", ""];

/** Returns the state that the page opens with: all that a lesson keeps, in the order of its text. */
export function firstState() {
  return {
    ...exampleOf("eight"),
    conventions: { ...DEFAULTS },
    order: "cyclic",
    t: 0,
    asking: false, // for the look ahead; at the first one always
    tab: "proof",
    idea: "bound",
    broken: "none",
    beyond: "none",
    degree: 2,
    recorded: null,
    quiz: "", // of an exercise: "turn" for its questions in turn, or the name of one
    axes: NO_NAMES,
    classes: NO_NAMES,
    note: "",
    lights: null, // the part of the proof that the note speaks of
    hidden: [],
    locked: [],
  };
}

/** What is of the open question of an exercise, before its first answer. */
export const UNANSWERED = { picked: [], attempts: 0, given: "", result: null };

/** Returns whether an exercise asks: then what comes after the look `asked` is told nowhere. */
export function isExercise({ quiz, asked }) {
  return quiz !== "" && asked !== null;
}

/** Returns whether a lesson or an exercise hides the verdict: then nothing on the page tells it. */
export function hidesVerdict(fields) {
  return fields.hidden.includes("verdict") || isExercise(fields);
}

/** The ideas of the proof, in their order, and how it breaks. */
export const IDEAS = ["separator", "floor", "ceiling", "bound", "broken"];

/**
 * Returns the idea of the proof that the plane shows: u, γ and R beside the answer that they give;
 * null beside other tabs, and for the bound.
 */
export function drawnIdea(fields) {
  const { tab, idea, hidden, result } = fields;
  if (result?.question === "left") return "separator";
  const isShown = tab === "proof" && idea !== "bound" && !hidden.includes("proof");
  return isShown && !hidesVerdict(fields) ? idea : null;
}

/** The tabs that are always there; the others are opened by a menu. */
export const ALWAYS = ["proof", "weights", "table"];

/** The tabs that are about the line: beside them no kernel is shown. */
const OF_LINE = ["proof", "weights", "compare", "exercise"];

/** The tabs that tell an exercise's answers. */
const TELLING = ["weights", "beyond", "compare"];

/** Returns the tabs that a lesson or an exercise hides; the proof tells the verdict. */
export function hiddenTabs(fields) {
  const told = isExercise(fields) ? TELLING : [];
  return hidesVerdict(fields) ? [...fields.hidden, ...told, "proof"] : fields.hidden;
}

/** Returns the tab that is open: the chosen one, or in place of a hidden one the first of the usual. */
export function openTab(fields) {
  const hidden = hiddenTabs(fields);
  const usual = isExercise(fields) ? ["exercise", ...ALWAYS] : ALWAYS;
  return [fields.tab, ...usual].find((name) => !hidden.includes(name)) ?? null;
}

/** Returns the kernel whose run is stepped in place of that of the line; null for the line. */
function kernelOf(fields) {
  const { beyond, degree, behind } = fields;
  const tab = openTab(fields);
  if (OF_LINE.includes(tab === "lesson" ? behind : tab)) return null;
  if (beyond === "lift") return LIFT;
  return beyond === "kernel" ? POLYNOMIALS[degree] : null;
}

/** Returns the number of looks that may be told: those before an open question, or all. */
function toldLooks({ run, t, fields }) {
  if (isExercise(fields)) return fields.asked;
  const isAsked = fields.asking && drawnIdea(fields) === null && run.kernel === null;
  return isAsked ? t : run.rows.length;
}

/** Returns whether the look ahead is asked for: then nothing shows it. */
export function isAsking(model) {
  return model.t >= toldLooks(model) && model.t < model.run.rows.length;
}

/** Returns R², γ² and the bound of a run with a kernel: once for each. */
export const dualTheoremOf = oncePer(dualTheorem);

/** The state, with listeners. What follows from the example is computed when the example changes. */
export class Model {
  constructor() {
    this.listeners = [];
    this.past = [];
    this.future = [];
    this.fields = {
      ...firstState(),
      tool: 1,
      selected: null,
      proofShown: false,
      asking: true,
      answer: null,
      playing: false,
      dragging: false,
      intro: false,
      projector: false,
      embedded: false,
      other: { source: "kernels", order: "reversed", output: "last" },
      asked: null, // the look that the exercise asks for; null without one, and at its end
      ...UNANSWERED,
      round: 0, // of exercises, from 1
      answers: [], // of all rounds
      drawer: false,
      sheet: false,
      speed: 3,
      tour: null, // of the guided tour: its step, the part that this lights, whether it goes on by itself
      brokenStep: null, // the step of the broken run; null is the first that fails
      lit: null, // the part of the proof that is pointed at
      behind: "proof", // the tab before the builder of lessons
      building: false,
      lesson: { title: "", states: [], at: -1 },
    };
    this.fields.grid = gridOf(this.fields.points);
    this.loaded = this.written;
    this.compute();
  }

  /** The points and the labels as text. */
  get written() {
    return JSON.stringify([this.fields.points, this.fields.labels]);
  }

  /** Whether the reader changed the points since they were loaded. */
  get isOwn() {
    return this.written !== this.loaded;
  }

  compute() {
    const { points, labels, conventions, order, recorded } = this.fields;
    this.line = recorded
      ? recordedRun(recorded, points, labels, conventions)
      : runPerceptron(points, labels, conventions, order);
    this.found = separate(points, labels, conventions);
    this.duals = new Map();
  }

  /** The run that is stepped: that of the line, or of the kernel in view. */
  get run() {
    const kernel = kernelOf(this.fields);
    if (kernel === null) return this.line;
    if (!this.duals.has(kernel)) {
      const { points, labels, conventions, order } = this.fields;
      this.duals.set(kernel, runDual(points, labels, conventions, order, kernel));
    }
    return this.duals.get(kernel);
  }

  get looks() {
    return this.run.rows.length;
  }

  get t() {
    return this.fields.t;
  }

  /** The last look that may be shown: in an exercise that of its question. */
  get furthest() {
    return isExercise(this.fields) ? this.fields.asked : this.looks;
  }

  /** The largest number of mistakes that the theorem allows the run; null without a separator. */
  get bound() {
    if (this.run.kernel === null) return this.found.bound;
    const { bound } = dualTheoremOf(this.run);
    return bound && Number(bound);
  }

  /**
   * Whether a lesson locks a control: never for its author, who has opened the builder. An exercise
   * locks all but the menus.
   */
  isLocked(name) {
    const { building, locked } = this.fields;
    return !building && (locked.includes(name) || (isExercise(this.fields) && name !== "more"));
  }

  /** How the run ends; "untold" where that would tell a hidden verdict. */
  get ending() {
    return hidesVerdict(this.fields) ? "untold" : this.run.status;
  }

  /** Whether the look ahead is asked for: then nothing shows it. */
  get isAsking() {
    return isAsking(this);
  }

  /** The number of looks that may be told. */
  get told() {
    return toldLooks(this);
  }

  /** Calls a function after every change, with the names of the fields that changed. */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Changes fields; recomputes the run if the example changed. */
  set(patch) {
    Object.assign(this.fields, patch);
    if (patch.tab === "lesson") this.fields.building = true;
    else if (patch.tab) this.fields.behind = patch.tab;
    const changed = Object.keys(patch);
    if (EXAMPLE_KEYS.some((key) => changed.includes(key))) {
      const { points, order } = this.fields;
      if (!changed.includes("recorded")) this.fields.recorded = null;
      if (!changed.includes("asked")) this.fields.asked = null;
      this.fields.brokenStep = null;
      if (Array.isArray(order) && order.length !== points.length) this.fields.order = "cyclic";
      this.compute();
    }
    this.fields.t = Math.min(Math.max(0, Math.round(this.fields.t)), this.furthest);
    for (const listener of this.listeners) listener(changed);
  }

  /** Lights a part of the proof; null is the part that the tour's step or the note speaks of, if any. */
  light(part) {
    const lit = part ?? this.fields.tour?.lit ?? this.fields.lights;
    if (this.fields.lit !== lit) this.set({ lit });
  }

  /** Goes to the state before look t. */
  goto(t) {
    const from = this.t;
    const to = Math.min(Math.max(0, t), this.furthest);
    this.set({ t: to, answer: null, result: null, cameFrom: from });
  }

  /** Changes points and labels so that `undo` takes the change back. */
  edit({ points, labels }, patch = {}) {
    this.remember();
    this.set({ points, labels, proofShown: false, ...patch });
  }

  /** Replaces the points, their names and the grid so that `undo` takes the change back. */
  replace({ points, labels, axes = NO_NAMES, classes = NO_NAMES }) {
    const grid = gridOf(points);
    this.edit({ points, labels }, { axes, classes, grid, t: 0, selected: null });
  }

  /** Shows the part of the plane that fits the points. */
  fit() {
    this.set({ grid: gridOf(this.fields.points) });
  }

  /** Keeps the points as they are for `undo`. */
  remember() {
    this.past.push(this.edited());
    if (this.past.length > UNDO_STEPS) this.past.shift();
    this.future = [];
  }

  /** Returns what an edit may change. */
  edited() {
    return Object.fromEntries(EDITED.map((key) => [key, this.fields[key]]));
  }

  undo() {
    this.exchange(this.past, this.future);
  }

  redo() {
    this.exchange(this.future, this.past);
  }

  exchange(from, to) {
    if (from.length === 0 || this.isLocked("editing")) return;
    to.push(this.edited());
    this.set({ ...from.pop(), selected: null, proofShown: false });
  }

  /** Shows another example from its first look. */
  load({ points, labels, conventions = {}, order = "cyclic", ...rest }) {
    const isPair = (point) => Array.isArray(point) && point.length > 1;
    if (!Array.isArray(points) || !points.every(isPair)) {
      throw new RangeError("points must be a list of pairs of numbers");
    }
    const isLabel = (label) => LABELS.includes(Number(label));
    if (!Array.isArray(labels) || !labels.every(isLabel)) {
      throw new RangeError("labels must be a list of −1 and +1");
    }
    const rows = points.map((point) => point.slice(0, 2).map(Number));
    const signs = labels.map((label) => (Number(label) > 0 ? 1 : -1));
    if (rows.length !== signs.length || !rows.flat().every(Number.isFinite)) {
      throw new RangeError("points must be pairs of numbers, with one label each");
    }
    checkPointCount(rows);
    checkSizes(rows.flat());
    if (!isOrder(order, rows.length)) {
      throw new RangeError('order must be "cyclic", "shuffled" or a list of all rows');
    }
    const chosen = completeConventions(conventions);
    this.past = [];
    this.future = [];
    this.loaded = JSON.stringify([rows, signs]);
    this.set({
      points: rows,
      labels: signs,
      conventions: chosen,
      order,
      t: 0,
      selected: null,
      proofShown: false,
      answer: null,
      playing: false,
      recorded: null,
      quiz: "",
      asked: null,
      ...UNANSWERED,
      axes: NO_NAMES,
      classes: NO_NAMES,
      ...rest,
      grid: gridOf(rows),
    });
  }

  /** Returns the state before look t, as numbers: the documented object of the page. */
  snapshot() {
    const { run, found, t } = this;
    const alpha = alphaAt(run, t);
    const { w, b } = run.kernel ? { w: null, b: offsetOf(run, alpha) } : lineAt(run, t);
    const ended = t >= this.looks;
    return {
      t,
      position: ended ? null : run.rows[t],
      epoch: epochOf(run, ended ? this.looks - 1 : t),
      w,
      b,
      score: ended ? null : run.scores[t],
      predicted: ended ? null : run.predictions[t],
      mistake: ended ? null : run.wrong[t],
      mistakes: mistakesBefore(run, t),
      alpha,
      looks: this.looks,
      status: run.status,
      bound: this.bound,
      separable: found.separable,
      cycle: run.cycle,
      certificate: found.certificate,
      broken: ended ? [] : brokenBy(run, t),
    };
  }
}

/** Returns a function that computes once for each object. */
export function oncePer(compute) {
  const kept = new WeakMap();
  return (key) => {
    if (!kept.has(key)) kept.set(key, compute(key));
    return kept.get(key);
  };
}

/** Returns a function of a run and a look that computes again for another look only. */
export function oncePerLook(compute) {
  const keptOf = oncePer(() => ({}));
  return (run, t) => {
    const kept = keptOf(run);
    if (kept.t !== t) Object.assign(kept, { t, value: compute(run, t) });
    return kept.value;
  };
}
