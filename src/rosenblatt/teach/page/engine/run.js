// The perceptron, recorded: every look at an example, and every weight vector. Of decimals, too, a
// run is exact: it runs in whole numbers, and no sign is decided by rounding.

import { asLine, storedRow } from "./conventions.js";
import { permutation, randomNumbers } from "./random.js";
import { decimalAsFloat, wholeNumbers } from "./whole.js";

/** The largest number of looks of a run that neither ends nor is seen to repeat. */
export const LOOKS = 10000;

/**
 * @typedef {object} Run
 * @property {number[][]} stored the rows as they are scored
 * @property {number[]} labels
 * @property {Conventions} conventions
 * @property {number[][]} weights the stored vectors: the start, and one more for each mistake
 * @property {Whole} whole rows, steps and weights as whole numbers; the floats are these, rounded
 * @property {number[]} rows the row of each look
 * @property {number[]} used the index of the vector that scored each look: its mistakes so far
 * @property {number[]} scores
 * @property {number[]} predictions
 * @property {boolean[]} wrong true where the look is a mistake
 * @property {number[]} epochStarts the first look of each epoch
 * @property {"converged"|"cycles"|"ended"|"open"} status
 *   ended: after one pass, with rows still wrong; open: after LOOKS looks
 * @property {{first: number, period: number}|null} cycle the look that comes again, and after how many
 * @property {Kernel|null} kernel of a run in the dual form: its weights are the η α y of the rows
 * @property {number|null} rounded of a run that was recorded in floats: the first look, or the end,
 *   where rounding decided otherwise than the decimals do
 */

/** Returns w·x, summed from left to right: of floats, or of whole numbers. */
export function dot(w, x) {
  let sum = w[0] * x[0];
  for (let j = 1; j < w.length; j++) sum += w[j] * x[j];
  return sum;
}

/** Returns +1 above 0, −1 below 0, and `tie` at 0. */
export function sgn(score, tie) {
  return score > 0 ? 1 : score < 0 ? -1 : tie;
}

/**
 * Runs the perceptron on points of the plane: on a mistake w ← w + η y x.
 * @param {number[][]} points
 * @param {number[]} labels −1 or +1
 * @param {Conventions} conventions
 * @param {"cyclic"|"shuffled"|number[]} order of the rows of an epoch; used where pick is "every"
 * @returns {Run}
 */
export function runPerceptron(points, labels, conventions, order = "cyclic", limit = LOOKS) {
  return runOf(points, labels, conventions, order, wholeRows(points, labels, conventions), limit);
}

/** Returns a function of the number of looks: the stored rows in whole numbers. */
function wholeRows(points, labels, conventions) {
  const stored = points.map((point) => storedRow(point, conventions.offset));
  return (looks) => wholeNumbers(stored, labels, conventions, looks);
}

/** Runs the perceptron on rows, steps and a start in whole numbers, a function of the number of looks. */
export function runOf(points, labels, conventions, order, wholeOf, limit = LOOKS) {
  const looks = Math.max(limit, points.length);
  const run = emptyRun(points, labels, conventions, wholeOf(looks));
  if (points.length === 0) run.status = "converged";
  else if (conventions.pick === "every") walkEpochs(run, order, limit);
  else walkPicks(run, limit);
  return run;
}

/** Returns a run before its first look. */
function emptyRun(points, labels, conventions, whole) {
  return {
    stored: points.map((point) => storedRow(point, conventions.offset)),
    labels,
    conventions,
    whole,
    weights: whole.weights.map((w) => asFloats(w, whole.digits)),
    rows: [],
    used: [],
    scores: [],
    predictions: [],
    wrong: [],
    epochStarts: [],
    status: "open",
    cycle: null,
    rounded: null,
    kernel: null,
  };
}

/** Returns a run that was recorded elsewhere, in floats, with the whole numbers of its updates. */
export function recordedRun(recorded, points, labels, conventions) {
  const whole = wholeRows(points, labels, conventions)(recorded.rows.length);
  const run = { ...emptyRun(points, labels, conventions, whole), ...recorded };
  const { weights, steps } = run.whole;
  const differ = run.rows.map((row, t) => {
    const w = weights[weights.length - 1];
    if (run.wrong[t]) weights.push(w.map((value, j) => value + steps[row][j]));
    return isWrong(run, w, row) !== run.wrong[t];
  });
  differ.push(run.status === "converged" && !allRight(run));
  if (differ.includes(true)) run.rounded = differ.indexOf(true);
  return run;
}

/** Returns whether the score of a look has another sign in floats than of the decimals. */
export function hasRoundedSign(run, t) {
  const { weights, rows } = run.whole;
  return sgn(dot(weights[run.used[t]], rows[run.rows[t]]), 0) !== Math.sign(run.scores[t]);
}

function asFloats(w, digits) {
  return w.map((value) => decimalAsFloat(value, digits));
}

/** Looks at one row; corrects a mistake. */
function look(run, row) {
  const { labels, conventions } = run;
  const { rows, steps, weights, rowDigits, digits } = run.whole;
  const w = weights[weights.length - 1];
  const score = dot(w, rows[row]);
  const predicted = sgn(score, conventions.tie);
  run.rows.push(row);
  run.used.push(weights.length - 1);
  run.scores.push(decimalAsFloat(score, rowDigits + digits));
  run.predictions.push(predicted);
  run.wrong.push(predicted !== labels[row]);
  if (predicted === labels[row]) return;
  const after = w.map((value, j) => value + steps[row][j]);
  weights.push(after);
  run.weights.push(asFloats(after, digits));
}

/** Walks through all rows, epoch by epoch. In a fixed order, a w that comes again proves a cycle. */
function walkEpochs(run, order, limit) {
  const { stop, seed } = run.conventions;
  const n = run.labels.length;
  const draw = randomNumbers(seed);
  const fixed = Array.isArray(order) ? order : permutationOf(n);
  const seen = new Map([[key(run), 0]]);
  while (run.rows.length === 0 || run.rows.length + n <= limit) {
    const first = run.rows.length;
    const before = run.weights.length;
    run.epochStarts.push(first);
    for (const row of order === "shuffled" ? permutation(n, draw) : fixed) look(run, row);
    const quiet = run.weights.length === before;
    const right = quiet || (stop !== "quiet" && allRight(run));
    if (right || stop === "pass") {
      run.status = right ? "converged" : "ended";
      return;
    }
    const again = order === "shuffled" ? undefined : seen.get(key(run));
    if (again !== undefined) {
      run.status = "cycles";
      run.cycle = { first: again, period: run.rows.length - again };
      return;
    }
    seen.set(key(run), run.rows.length);
  }
}

/** Corrects one misclassified row after another, until none is left. */
function walkPicks(run, limit) {
  const { conventions } = run;
  const draw = randomNumbers(conventions.seed);
  const seen = new Map();
  let last = -1;
  while (run.rows.length < limit) {
    const wrong = wrongAfter(run, run.weights.length - 1);
    if (wrong.length === 0) {
      run.status = "converged";
      return;
    }
    const state = conventions.pick === "next" ? `${key(run)};${last}` : key(run);
    if (conventions.pick !== "random" && seen.has(state)) {
      run.status = "cycles";
      run.cycle = { first: seen.get(state), period: run.rows.length - seen.get(state) };
      return;
    }
    seen.set(state, run.rows.length);
    run.epochStarts.push(run.rows.length);
    last = pickOf(run, wrong, last, draw);
    look(run, last);
  }
}

/** Returns the row to correct. */
function pickOf(run, wrong, last, draw) {
  const { pick } = run.conventions;
  if (pick === "first") return wrong[0];
  if (pick === "last") return wrong[wrong.length - 1];
  if (pick === "next") return wrong.find((row) => row > last) ?? wrong[0];
  if (pick === "random") return wrong[Math.floor(draw() * wrong.length)];
  const { rows, weights } = run.whole;
  const w = weights[weights.length - 1];
  const margins = rows.map((x, row) => (run.labels[row] > 0 ? dot(w, x) : -dot(w, x)));
  return wrong.reduce((worst, row) => (margins[row] < margins[worst] ? row : worst));
}

function permutationOf(n) {
  return Array.from({ length: n }, (_, row) => row);
}

/** Returns as text what tells the last w from others: in the dual form the scores of all rows do. */
function key({ whole }) {
  const w = whole.weights[whole.weights.length - 1];
  return (whole.dual ? whole.rows.map((x) => dot(w, x)) : w).join(",");
}

/** Returns whether a vector of whole numbers misclassifies a row. */
function isWrong({ whole, conventions, labels }, w, row) {
  return sgn(dot(w, whole.rows[row]), conventions.tie) !== labels[row];
}

/** Returns the rows that the vector after some mistakes misclassifies. */
export function wrongAfter(run, mistakes) {
  const w = run.whole.weights[mistakes];
  return permutationOf(run.labels.length).filter((row) => isWrong(run, w, row));
}

function allRight(run) {
  const w = run.whole.weights[run.whole.weights.length - 1];
  return run.labels.every((_, row) => !isWrong(run, w, row));
}

/** Returns the number of mistakes before look t, which is also the index of its weight vector. */
export function mistakesBefore(run, t) {
  return t < run.used.length ? run.used[t] : run.weights.length - 1;
}

/** Returns the look that is the k-th mistake, from 1. */
export function lookOfUpdate({ used, wrong }, k) {
  const next = used.indexOf(k);
  return next === -1 ? wrong.lastIndexOf(true) : next - 1;
}

/** Returns the number of the epoch of look t, from 1. */
export function epochOf(run, t) {
  let low = 0;
  let high = run.epochStarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.epochStarts[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the rows that look t makes wrong: right before its update, wrong after it. */
export function brokenBy(run, t) {
  if (!run.wrong[t]) return [];
  const { weights } = run.whole;
  const [before, after] = [weights[run.used[t]], weights[run.used[t] + 1]];
  return permutationOf(run.labels.length).filter(
    (row) => !isWrong(run, before, row) && isWrong(run, after, row),
  );
}

/** Returns the line of the weights before look t. */
export function lineAt(run, t) {
  return asLine(run.weights[mistakesBefore(run, t)], run.conventions.offset);
}
