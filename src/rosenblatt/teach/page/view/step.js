// This step: the arithmetic of one look, and the question before it.

import { alphaAt, liftedPlane, offsetOf } from "../engine/dual.js";
import { dot, epochOf, hasRoundedSign, lineAt, mistakesBefore } from "../engine/run.js";
import { count, factor, number, scoreTerms, signed, subscript, vector } from "../state/format.js";
import { byId, el } from "../../../utils/drawing/dom.js";
import { PHONE } from "../state/look.js";
import { isExercise } from "../state/model.js";
import { strings } from "../strings.js";

/** The largest number of terms of a kernel that are written out. */
const MOST_TERMS = 2;

/** The line of the question. */
const ASKED = 2;

/** Builds the panel; `answer` is called with true for "a mistake". */
export function buildStep(model, answer) {
  const panel = byId("step");
  const title = el("h2", { id: "step-title", textContent: strings.thisStep });
  const place = el("span", { className: "place" });
  const lines = el("div", { className: "lines" });
  panel.append(el("div", { className: "head" }, title, place), lines);
  const question = byId("question");
  const isPhone = matchMedia(PHONE); // there the question stands above the player
  return () => {
    const { run, t, fields } = model;
    const ended = t >= model.looks;
    if (fields.points.length === 0) place.textContent = "";
    else if (ended) place.textContent = strings.end(model.looks);
    else place.textContent = strings.lookOf(t + 1, model.looks, epochOf(run, t));
    lines.classList.toggle("ended", ended);
    const rows = rowsNow(model, answer);
    const asked = isPhone.matches && isAsked(model) ? rows.splice(ASKED, 1)[0] : [];
    question.replaceChildren(...asked);
    lines.replaceChildren(...rows.map((row) => el("p", {}, ...row)));
  };
}

/** Returns whether the panel asks for an answer. */
function isAsked({ fields, run, t, looks }) {
  return fields.asking && t < looks && run.kernel === null;
}

/** Returns the lines of the panel. */
function rowsNow(model, answer) {
  const { fields, run, t, looks } = model;
  if (fields.points.length === 0) return emptyLines(model);
  if (isExercise(fields) && t >= fields.asked)
    return [exampleLine(run, run.rows[t], fields.points[run.rows[t]]), [strings.coveredStep]];
  if (t >= looks) return endLines(model);
  if (run.kernel) return curveLines(model);
  return isAsked(model) ? askLines(model, answer) : stepLines(model);
}

/** Returns the example of a look as words, with its label in the colour of the class. */
function exampleLine(run, row, point) {
  const label = run.labels[row];
  const words = strings.exampleLine(vector(point), "");
  return [words, el("b", { className: classOf(label), textContent: signed(label) })];
}

function classOf(label) {
  return label > 0 ? "positive" : "negative";
}

/** Returns the question: what the line predicts, and buttons for the answer. */
function askLines(model, answer) {
  const { run, t, fields } = model;
  const row = run.rows[t];
  const { w, b } = lineAt(run, t);
  const withOffset = run.conventions.offset !== "none";
  const offset = withOffset ? strings.askOffset(number(b)) : "";
  const isLocked = model.isLocked("editing");
  const score = number(run.scores[t]);
  const predicted = run.predictions[t];
  const line = predicted
    ? strings.askLine(vector(w), offset, score, signed(predicted))
    : strings.askTie(vector(w), offset, score);
  const button = (key, words, value) =>
    el(
      "button",
      { className: "answer", onclick: () => answer(value) },
      el("kbd", { textContent: key }),
      ` ${words}`,
    );
  const before =
    fields.answer === null
      ? []
      : [
          el("span", {
            className: fields.answer.right ? "good" : "bad",
            textContent: strings.answered(fields.answer.right, fields.answer.mistake),
          }),
        ];
  return [
    exampleLine(run, row, fields.points[row]),
    [line],
    [`${strings.isMistake} `, button("M", strings.yes, true), " ", button("R", strings.no, false)],
    before.length > 0 ? before : [hint(isLocked ? strings.next : strings.nextOrDrag)],
  ];
}

/** Returns the arithmetic of a look in four lines. */
function stepLines(model) {
  const { run, t, fields } = model;
  const row = run.rows[t];
  const x = fields.points[row];
  const line = lineAt(run, t);
  const score = run.scores[t];
  const withOffset = run.conventions.offset !== "none";
  const wrong = run.wrong[t];
  return [
    exampleLine(run, row, x),
    [
      `w·x${withOffset ? " + b" : ""} = ${scoreTerms(line, x, withOffset)} = `,
      el("b", { textContent: number(score) }),
      hasRoundedSign(run, t) ? strings.roundedSign : "",
    ],
    judgement(score, run.predictions[t], wrong, run.conventions.tie),
    wrong ? updateLine(model, line, x, run.labels[row]) : [strings.unchanged],
  ];
}

/** Returns what a score predicts, and whether that is right. */
function judgement(score, predicted, wrong, tie) {
  const compared =
    score === 0 ? strings.tieNote(tie) : `${number(score)} ${score > 0 ? ">" : "<"} 0`;
  const verdict = el("b", {
    className: wrong ? "bad" : "good",
    textContent: wrong ? strings.mistake : strings.right,
  });
  verdict.append(el("span", { className: "sign", textContent: wrong ? " ✗" : " ✓" }));
  const says = predicted ? strings.predicts(compared, signed(predicted)) : strings.tie;
  return [`${says}: `, verdict];
}

/** Returns the arithmetic of a look with a kernel in four lines. */
function curveLines({ run, t, fields }) {
  const row = run.rows[t];
  const x = fields.points[row];
  const alpha = alphaAt(run, t);
  const b = offsetOf(run, alpha);
  const isLift = fields.beyond === "lift";
  const terms = isLift ? liftTerms(run, fields.points, t, x) : kernelTerms(run, fields, alpha, x, b);
  const wrong = run.wrong[t];
  return [
    exampleLine(run, row, x),
    [`f(x) = ${terms} = `, el("b", { textContent: number(run.scores[t]) })],
    judgement(run.scores[t], run.predictions[t], wrong, run.conventions.tie),
    wrong ? [curveUpdate(run, row, alpha[row], b)] : [strings.alphaUnchanged],
  ];
}

/** Returns w·(x, y, x² + y²) + b with its numbers; w is the sum of the lifted points. */
function liftTerms(run, points, t, [x, y]) {
  return scoreTerms(liftedPlane(run, points, t), [x, y, x * x + y * y], true);
}

/** Returns Σ αᵢ yᵢ (1 + xᵢ·x)^d + b with its numbers, or the number of its terms. */
function kernelTerms(run, { points, degree }, alpha, x, b) {
  const { eta } = run.conventions;
  const rows = alpha.flatMap((value, row) => (value === 0 ? [] : [row]));
  if (rows.length > MOST_TERMS) return strings.manyTerms(rows.length, factor(b));
  const power = (row) => strings.raised(factor(1 + dot(points[row], x)), degree);
  const term = (row) => `${factor(eta * alpha[row] * run.labels[row])}·${power(row)}`;
  return [...rows.map(term), factor(b)].join(" + ");
}

/** Returns α₃ ← 1 + 1 = 2, b ← 0 + 1 = 1. */
function curveUpdate({ labels, conventions: { eta } }, row, alpha, b) {
  const sign = labels[row] > 0 ? "+" : "−";
  const after = number(b + eta * labels[row]);
  const first = `α${subscript(row + 1)} ← ${alpha} + 1 = ${alpha + 1}`;
  return `${first}, b ← ${factor(b)} ${sign} ${number(eta)} = ${after}`;
}

function emptyLines(model) {
  return [
    [el("b", { textContent: strings.emptyPlane })],
    ...editingLines(model, strings.emptyHint),
  ];
}

/** Returns the line that tells how points are edited, where they may be. */
function editingLines(model, words) {
  return model.isLocked("editing") ? [] : [[hint(words)]];
}

function hint(textContent) {
  return el("span", { className: "hint", textContent });
}

/** Returns w ← (1, −3) + (2, −1) = (3, −4), b ← 0 + 1 = 1, which breaks at its comma only. */
function updateLine(model, { w, b }, x, label) {
  const { eta, offset } = model.run.conventions;
  const after = lineAt(model.run, model.t + 1);
  const sign = label > 0 ? "+" : "−";
  const rate = eta === 1 ? "" : `${number(eta)}·`;
  const first = `w ← ${vector(w)} ${sign} ${rate}${vector(x)} = ${vector(after.w)}`;
  if (offset === "none") return [first];
  const second = `b ← ${factor(b)} ${sign} ${number(eta)} = ${number(after.b)}`;
  return [`${first}, `, el("span", { className: "whole", textContent: second })];
}

function endLines(model) {
  const { run, t } = model;
  return [
    [el("b", { textContent: strings.doneTexts[model.ending] })],
    [run.kernel ? strings.finalAlpha(vector(alphaAt(run, t))) : lastLine(run, t)],
    [`${count(mistakesBefore(run, t), "mistake")} · ${count(run.epochStarts.length, "epoch")}`],
    ...editingLines(model, strings.dragHint),
  ];
}

/** Returns the line at the end of a run in words. */
function lastLine(run, t) {
  const { w, b } = lineAt(run, t);
  const offset = run.conventions.offset === "none" ? "" : strings.askOffset(number(b));
  return strings.finalLine(vector(w), offset);
}
