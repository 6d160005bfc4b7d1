// What the plane shows at a look: lines, vectors, marks and shades, as data.

import {
  averageOf,
  DEGREES,
  kernelRun,
  liftKernel,
  pocketOf,
  polynomialKernel,
  survivedOf,
  voteOf,
  widestBand,
} from "../engine/beyond.js";
import { asLine } from "../engine/conventions.js";
import { brokenBy, lineAt, mistakesBefore } from "../engine/run.js";
import { hidesVerdict, isAsking, oncePer } from "../state/model.js";
import { proofOf } from "./proof.js";

/** The number of grey lines behind the current one. */
const TRAIL = 5;

/** The length of the longest arrow, as a share of half of the grid. */
const LONGEST = 0.8;

export const survivedOnce = oncePer(survivedOf);
export const pocketOnce = oncePer(pocketOf);
const voteOnce = oncePer((run) => voteOf(run, survivedOnce(run)));
const averageOnce = oncePer((run) =>
  asLine(averageOf(run, survivedOnce(run)), run.conventions.offset),
);
const bandOnce = oncePer((run) => widestBand(pointsOf(run), run.labels));
const arrowScaleOnce = oncePer((run) =>
  oncePer(({ from, to }) => {
    const half = from.map((low, k) => (to[k] - low) / 2);
    const share = ({ w }) => Math.hypot(w[0] / half[0], w[1] / half[1]);
    const longest = Math.max(...run.weights.map((w) => share(asLine(w, run.conventions.offset))));
    return longest <= LONGEST ? 1 : 1 / Math.ceil(longest / LONGEST);
  }),
);
const kernelsOnce = oncePer((run) => {
  const points = pointsOf(run);
  return oncePer((kernel) => kernelRun(points, run.labels, run.conventions, kernel));
});
/** The polynomial kernels of the degrees on offer. */
export const KERNELS = Object.fromEntries(DEGREES.map((d) => [d, polynomialKernel(d)]));

/** Returns the kernel run of the current view, or null. */
export function kernelViewOf(run, { beyond, degree }) {
  if (beyond === "lift") return kernelsOnce(run)(liftKernel);
  if (beyond === "kernel") return kernelsOnce(run)(KERNELS[degree]);
  return null;
}

/** Returns the average line of a run. */
export function averageLineOf(run) {
  return averageOnce(run);
}

/** Returns the scale of the arrows of a run in a grid, at most 1. */
export function arrowScaleOf(run, grid) {
  return arrowScaleOnce(run)(grid);
}

/** Returns the widest band of an example, or null. */
export function bandOf(run) {
  return bandOnce(run);
}

/**
 * Returns what the plane shows before look t: the line, and what this look will do to it.
 * @param {Model} model or an object with `run`, `found`, `t` and `fields`
 * @param {number} progress of the movement of the last update, from 0 to 1; while the line moves,
 *   the plane shows that update
 */
export function sceneAt(model, progress = 1) {
  const { run, found, t, fields } = model;
  const { offset } = run.conventions;
  const j = mistakesBefore(run, t);
  const lines = run.weights.slice(Math.max(0, j - TRAIL), j + 1).map((w) => asLine(w, offset));
  const line = lines.pop();
  const scene = {
    grid: fields.grid,
    axes: fields.axes,
    points: fields.points,
    labels: fields.labels,
    line,
    next: null,
    trail: lines.filter(hasDirection),
    arrowScale: arrowScaleOf(run, fields.grid),
    began: j > 0,
    update: null,
    current: t < run.rows.length ? run.rows[t] : null,
    broken: [],
    selected: fields.selected ?? null,
    certificate: fields.proofShown && !hidesVerdict(fields) ? found.certificate : null,
    band: null,
    shade: null,
    curve: null,
    extra: [],
    proof: proofOf(model),
  };
  if (progress < 1) {
    scene.update = updateAt(run, t - 1, progress);
    scene.line = between(scene.update.from, line, progress);
  } else if (run.wrong[t] && !isAsking(model)) {
    scene.update = updateAt(run, t, 1);
    scene.next = scene.update.to;
    scene.broken = brokenBy(run, t);
  }
  addBeyond(scene, model);
  return scene;
}

/** Returns what look t does to the line: a mistake. */
function updateAt(run, t, progress) {
  const row = run.rows[t];
  const [from, to] = [t, t + 1].map((look) => lineAt(run, look));
  return { row, label: run.labels[row], from, to, progress };
}

/** Adds what the menu "beyond" shows. */
function addBeyond(scene, model) {
  const { run, fields } = model;
  const bandWanted = fields.dragging || fields.beyond === "margin";
  if (bandWanted && !hidesVerdict(fields)) scene.band = bandOf(run);
  if (fields.beyond === "votes") {
    scene.shade = voteOnce(run);
    scene.extra.push({ line: averageOnce(run), kind: "average" });
    scene.extra.push({ line: lineAt(run, run.rows.length), kind: "last" });
  }
  if (fields.beyond === "pocket") {
    const best = asLine(run.weights[pocketOnce(run)], run.conventions.offset);
    scene.extra.push({ line: best, kind: "pocket" });
  }
  const kernel = kernelViewOf(run, fields);
  if (kernel) showInstead(scene, kernel.score);
}

/** Shows a curve in place of the perceptron's line, and of what its update does. */
function showInstead(scene, score) {
  Object.assign(scene, { curve: score, next: null, trail: [], update: null, broken: [] });
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
