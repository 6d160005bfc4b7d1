// What the plane shows at a look: lines, vectors, marks and shades, as data.

import { averageOf, errorsOf, pocketOf, survivedOf, votersOf, widestBand } from "../engine/beyond.js";
import { asLine } from "../engine/conventions.js";
import { alphaAt, curveAt } from "../engine/dual.js";
import { brokenBy, lineAt, mistakesBefore } from "../engine/run.js";
import { hidesVerdict, isAsking, oncePer, oncePerLook } from "../state/model.js";
import { quizOf } from "../quiz/plane.js";
import { scaleOfSum, sumAt } from "./dual.js";
import { proofOf } from "./proof.js";

/** The number of grey lines behind the current one. */
const TRAIL = 5;

/** The line of w = 0. */
const NO_LINE = { w: [0, 0], b: 0 };

/** The length of the longest arrow, as a share of half of the grid. */
const LONGEST = 0.8;

const errorsOnce = oncePer(errorsOf);
const votersOnce = oncePerLook((run, t) => votersOf(run, survivedOf(run, t)));
/** The scale of the arrows of a run in a grid, at most 1. */
const arrowScaleOnce = oncePer((run) =>
  oncePer(({ from, to }) => {
    const half = from.map((low, k) => (to[k] - low) / 2);
    const share = ({ w }) => Math.hypot(w[0] / half[0], w[1] / half[1]);
    const longest = Math.max(...run.weights.map((w) => share(asLine(w, run.conventions.offset))));
    return longest <= LONGEST ? 1 : 1 / Math.ceil(longest / LONGEST);
  }),
);

/** Returns the errors of the weight vectors of a run before look t, and which of them the pocket keeps. */
export function pocketAt(run, t) {
  const errors = errorsOnce(run).slice(0, mistakesBefore(run, t) + 1);
  return { errors, best: pocketOf(errors) };
}

/** Returns the average of the lines of a run before look t: of all looks, if none is named. */
export function averageLineOf(run, t = run.rows.length) {
  return asLine(averageOf(run, survivedOf(run, t)), run.conventions.offset);
}

/** Returns the widest band of an example, or null. */
export const bandOf = oncePer((run) => widestBand(pointsOf(run), run.labels));

/**
 * Returns what the plane shows before look t: the line or the curve, and what this look will do to it.
 * @param {Model} model or an object with `run`, `found`, `t` and `fields`
 * @param {number} progress of the movement of the last update, from 0 to 1; while the line moves,
 *   the plane shows that update
 */
export function sceneAt(model, progress = 1) {
  const { run, found, t, fields } = model;
  const scene = {
    grid: fields.grid,
    axes: fields.axes,
    points: fields.points,
    labels: fields.labels,
    line: NO_LINE,
    next: null,
    trail: [],
    arrowScale: 1,
    began: mistakesBefore(run, t) > 0,
    update: null,
    current: t < run.rows.length ? run.rows[t] : null,
    broken: [],
    selected: fields.selected ?? null,
    certificate: fields.proofShown && !hidesVerdict(fields) ? found.certificate : null,
    band: null,
    voters: null,
    tie: run.conventions.tie,
    curve: null,
    extra: [],
    alpha: null,
    sum: null,
    proof: null,
    quiz: null,
    flash: null, // of the points that turned wrong, from 0 to 1
  };
  if (run.kernel) addCurve(scene, run, t);
  else addLine(scene, model, progress);
  addQuiz(scene, model, progress);
  return scene;
}

/** Adds the curve of a kernel, and α. */
function addCurve(scene, run, t) {
  scene.curve = curveAt(run, scene.points, t);
  scene.alpha = alphaAt(run, t);
  if (run.wrong[t]) scene.broken = brokenBy(run, t);
}

/** Adds the line, its update, the proof, and what the menu "beyond" shows. */
function addLine(scene, model, progress) {
  const { run, t, fields } = model;
  const j = mistakesBefore(run, t);
  const { offset } = run.conventions;
  const lines = run.weights.slice(Math.max(0, j - TRAIL), j + 1).map((w) => asLine(w, offset));
  scene.line = lines.pop();
  scene.trail = lines.filter(hasDirection);
  scene.arrowScale = arrowScaleOnce(run)(fields.grid);
  scene.proof = proofOf(model);
  if (progress < 1) {
    scene.update = updateAt(run, t - 1, progress);
    scene.line = between(scene.update.from, scene.line, progress);
  } else if (run.wrong[t] && !isAsking(model)) {
    scene.update = updateAt(run, t, 1);
    scene.next = scene.update.to;
    scene.broken = brokenBy(run, t);
  }
  addBeyond(scene, model);
}

/** Adds what an exercise shows: after an answer its look, not the next one, and × once the line is there. */
function addQuiz(scene, model, progress) {
  scene.quiz = quizOf(model);
  if (!model.fields.result) return;
  scene.current = scene.quiz.current;
  scene.broken = progress < 1 ? [] : scene.quiz.broken;
}

/** Returns what look t does to the line: a mistake. */
function updateAt(run, t, progress) {
  const row = run.rows[t];
  const [from, to] = [t, t + 1].map((look) => lineAt(run, look));
  return { row, label: run.labels[row], from, to, progress };
}

/** Adds what the menu "beyond" shows. */
function addBeyond(scene, model) {
  const { run, t, fields } = model;
  const bandWanted = fields.dragging || fields.beyond === "margin";
  if (bandWanted && !hidesVerdict(fields)) scene.band = bandOf(run);
  if (fields.beyond === "votes") {
    scene.voters = votersOnce(run, t);
    scene.extra.push({ line: averageLineOf(run, t), kind: "average" });
    scene.extra.push({ line: lineAt(run, t), kind: "last" });
  }
  if (fields.beyond === "pocket") {
    const { best } = pocketAt(run, t);
    scene.extra.push({ line: asLine(run.weights[best], run.conventions.offset), kind: "pocket" });
  }
  if (fields.beyond === "dual") {
    scene.alpha = alphaAt(run, t);
    scene.sum = sumAt(run, t);
    scene.arrowScale *= scaleOfSum(run, fields.grid, scene.arrowScale);
  }
}

/** Returns the points of a run, without the constant 1. */
export function pointsOf(run) {
  return run.stored.map((x) => asLine(x, run.conventions.offset).w);
}

function hasDirection({ w }) {
  return w[0] !== 0 || w[1] !== 0;
}

function between(a, c, share) {
  const mix = (u, v) => u + (v - u) * share;
  return { w: [mix(a.w[0], c.w[0]), mix(a.w[1], c.w[1])], b: mix(a.b, c.b) };
}
