// This step: the arithmetic of one look, and the question before it.

import { epochOf, lineAt, mistakesBefore } from "../engine/run.js";
import { count, factor, number, scoreTerms, signed, vector } from "../state/format.js";
import { byId, el } from "../state/dom.js";
import { strings } from "../strings.js";

/** Builds the panel; `answer` is called with true for "a mistake". */
export function buildStep(model, answer) {
  const panel = byId("step");
  const title = el("h2", { id: "step-title", textContent: strings.thisStep });
  const place = el("span", { className: "place" });
  const lines = el("div", { className: "lines" });
  panel.append(el("div", { className: "head" }, title, place), lines);
  return () => {
    const { run, t } = model;
    const ended = t >= model.looks;
    place.textContent = ended
      ? strings.end(model.looks)
      : strings.lookOf(t + 1, model.looks, epochOf(run, t));
    const rows = ended
      ? endLines(model)
      : model.fields.asking
        ? askLines(model, answer)
        : stepLines(model);
    lines.replaceChildren(...rows.map((row) => el("p", {}, ...row)));
  };
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
    before.length > 0 ? before : [el("span", { className: "hint", textContent: strings.next })],
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
  const compared =
    score === 0
      ? strings.tieNote(run.conventions.tie)
      : `${number(score)} ${score > 0 ? ">" : "<"} 0`;
  const predicted = run.predictions[t];
  const wrong = run.wrong[t];
  const verdict = el("b", {
    className: wrong ? "bad" : "good",
    textContent: wrong ? strings.mistake : strings.right,
  });
  verdict.append(el("span", { className: "sign", textContent: wrong ? " ✗" : " ✓" }));
  const says = predicted ? strings.predicts(compared, signed(predicted)) : strings.tie;
  return [
    exampleLine(run, row, x),
    [
      `w·x${withOffset ? " + b" : ""} = ${scoreTerms(line, x, withOffset)} = `,
      el("b", { textContent: number(score) }),
    ],
    [`${says}: `, verdict],
    wrong ? updateLine(model, line, x, run.labels[row]) : [strings.unchanged],
  ];
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

function endLines({ run, t }) {
  const { w, b } = lineAt(run, t);
  const offset = run.conventions.offset === "none" ? "" : strings.askOffset(number(b));
  const epochs = run.epochStarts.length;
  return [
    [el("b", { textContent: strings.doneTexts[run.status] })],
    [strings.finalLine(vector(w), offset)],
    [`${count(mistakesBefore(run, t), "mistake")} · ${count(epochs, "epoch")}`],
    [el("span", { className: "hint", textContent: strings.dragHint })],
  ];
}
