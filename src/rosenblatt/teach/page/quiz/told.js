// What an exercise tells: the numbers that a question needs, and after the answer why it is so.

import { brokenBy, mistakesBefore } from "../engine/run.js";
import { ratio } from "../engine/fractions.js";
import { isFromZero } from "../engine/separability.js";
import { count, equals, number, signed } from "../state/format.js";
import { theoremNow } from "../state/proof.js";
import { strings } from "../strings.js";
import { exactLineAt, exactScore, exactStep, exactVector, exactWords, pointWords } from "./exact.js";

/** The most letters of R² and γ²: the bound is computed from them. */
const MOST_LETTERS = 24;

/** The most points of an explanation. */
const MOST_TOLD = 4;

/** Returns the numbers that a question at the look of a model needs, in words. */
export function factsAsked(model, question) {
  const { run, t, fields } = model;
  const { conventions } = run;
  const made = strings.madeSoFar(count(mistakesBefore(run, t), "mistake"));
  if (question === "left") return [...boundFacts(model), made];
  const row = run.rows[t];
  const [w1, w2, b] = exactLineAt(run, t);
  return [
    strings.exampleLine(pointWords(fields.points[row]), signed(run.labels[row])),
    `w = ${exactVector([w1, w2])}${b ? strings.askOffset(exactWords(b)) : ""}`,
    ...(conventions.eta === 1 ? [] : [`η = ${conventions.eta}`]),
    strings.tieNote(conventions.tie),
  ];
}

/** Returns what the bound is computed from. */
function boundFacts(model) {
  const { run, found } = model;
  const { radius2, gamma2 } = theoremNow(model);
  if (!isFromZero(run.conventions)) return [limitWords(run, `= ${number(found.limit)}`)];
  return [`R² ${equals(radius2, MOST_LETTERS)}`, `γ² ${equals(gamma2, MOST_LETTERS)}`];
}

function limitWords({ conventions }, limit) {
  return strings.quizBound(isFromZero(conventions), conventions.eta, limit);
}

/** Returns in one sentence why the answer to a question at the look of a model is right. */
export function whyOf(model, question) {
  const { run, t } = model;
  if (question === "left") return whyLeft(model);
  const row = run.rows[t];
  const score = exactScore(run, run.used[t], row);
  const seen = strings.whySeen(exactWords(score), signed(run.labels[row]));
  if (!run.wrong[t]) return strings.whyRight[question](seen);
  if (question === "breaks") return whyBreaks(model);
  const [before, step, after] = [exactLineAt(run, t), exactStep(run, row), exactLineAt(run, t + 1)];
  const sum = [before, step, after].map((values) => exactVector(values.slice(0, 2)));
  const b = before.length > 2 ? exactWords(after[2]) : null;
  return strings.whyMistake[question](seen, sum, b);
}

function whyBreaks({ run, t, fields }) {
  const broken = brokenBy(run, t);
  if (broken.length === 0) return strings.noneBreaks;
  const told = broken.slice(0, MOST_TOLD).map((row) => {
    const [before, after] = [0, 1].map((k) => exactWords(exactScore(run, run.used[t] + k, row)));
    return strings.pointBreaks(pointWords(fields.points[row]), signed(run.labels[row]), before, after);
  });
  const others = broken.length - told.length;
  return strings.whyBreaks([...told, ...(others > 0 ? [strings.othersBreak(others)] : [])].join("; "));
}

function whyLeft(model) {
  const { run, t, found } = model;
  const { radius2, gamma2 } = theoremNow(model);
  const limit = isFromZero(run.conventions) ? equals(ratio(radius2, gamma2)) : `= ${number(found.limit)}`;
  return strings.whyLeft(limitWords(run, limit), found.bound, mistakesBefore(run, t));
}
