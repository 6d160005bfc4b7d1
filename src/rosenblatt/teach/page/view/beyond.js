// The tab Beyond: what the current view adds, in numbers; the lift turns here.

import { asLine } from "../engine/conventions.js";
import { dot, sgn, wrongAfter } from "../engine/run.js";
import {
  averageLineOf,
  bandOf,
  kernelViewOf,
  KERNELS,
  pocketOnce,
  survivedOnce,
} from "../plane/scene.js";
import { buildLift } from "../plane/lift.js";
import { count, number, vector } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";
import { voteOf } from "../engine/beyond.js";

/** Builds the tab into a panel. */
export function buildBeyond(model, panel) {
  const choice = el("div", {
    className: "choice",
    role: "group",
    "aria-label": strings.tabs.beyond,
  });
  for (const name of Object.keys(strings.beyond)) {
    choice.append(
      el("button", {
        id: `beyond-${name}`,
        className: "small",
        textContent: strings.beyond[name],
        onclick: () => model.set({ beyond: name }),
      }),
    );
  }
  const degree = el("select", { id: "degree" });
  for (const value of Object.keys(KERNELS))
    degree.append(el("option", { value, textContent: strings.degree(value) }));
  degree.addEventListener("change", () => model.set({ degree: Number(degree.value) }));
  const degreeRow = el("label", {}, `${strings.kernelName} `, degree);
  const words = el("div", { className: "told" });
  const canvas = el("canvas", { id: "lift", role: "img", "aria-label": strings.liftLabel });
  panel.append(choice, degreeRow, words, el("div", { className: "stage" }, canvas));
  const drawLift = buildLift(model, canvas);
  return () => {
    const { beyond } = model.fields;
    for (const button of choice.children)
      button.setAttribute("aria-pressed", String(button.id === `beyond-${beyond}`));
    degreeRow.hidden = beyond !== "kernel";
    degree.value = String(model.fields.degree);
    words.replaceChildren(...wordsOf(model).map((textContent) => el("p", { textContent })));
    canvas.hidden = beyond !== "lift";
    if (beyond === "lift") drawLift();
  };
}

/** Returns what the view shows, in words and numbers. */
function wordsOf(model) {
  const { run, fields } = model;
  if (fields.points.length === 0 || fields.beyond === "none") return [strings.beyondNothing];
  if (fields.beyond === "votes") return voteWords(run);
  if (fields.beyond === "margin")
    return hidesVerdict(fields) ? [strings.bandUntold] : marginWords(model);
  if (fields.beyond === "pocket") return pocketWords(run);
  const kernel = kernelViewOf(run, fields);
  const end = kernel.converged ? strings.kernelRight : strings.kernelStopped;
  const text = fields.beyond === "lift" ? strings.liftText : strings.kernelText(fields.degree);
  return [text, end(count(kernel.mistakes, "mistake"))];
}

function errorsBy(run, predict) {
  return run.stored.filter((x, row) => predict(x) !== run.labels[row]).length;
}

function voteWords(run) {
  const { tie, offset } = run.conventions;
  const survived = survivedOnce(run);
  const vote = voteOf(run, survived);
  const average = averageLineOf(run);
  const last = run.weights[run.weights.length - 1];
  const plain = (x) => asLine(x, offset).w;
  const errors = {
    last: errorsBy(run, (x) => sgn(dot(last, x), tie)),
    average: errorsBy(run, (x) => sgn(dot(average.w, plain(x)) + average.b, tie)),
    votes: errorsBy(run, (x) => sgn(vote(...plain(x)), tie)),
  };
  const voters = survived.filter((c) => c > 0).length;
  const longest = Math.max(...survived);
  return [
    strings.votesText(voters, run.rows.length),
    strings.votesErrors(errors.last, errors.average, errors.votes),
    strings.votesLongest(vector(asLine(run.weights[survived.indexOf(longest)], offset).w), longest),
  ];
}

function marginWords({ run, t }) {
  const band = bandOf(run);
  if (!band) return [strings.noBand];
  const index = t < run.used.length ? run.used[t] : run.weights.length - 1;
  const { w, b } = asLine(run.weights[index], run.conventions.offset);
  const length = Math.hypot(...w);
  const margins = run.stored.map(
    (x, row) => run.labels[row] * (dot(w, asLine(x, run.conventions.offset).w) + b),
  );
  const own = length ? Math.min(...margins) / length : 0;
  return [
    strings.bandText(number(band.margin), band.support.length),
    strings.ownMargin(number(own)),
  ];
}

function pocketWords(run) {
  const best = pocketOnce(run);
  const wrong = (k) => wrongAfter(run, k).length;
  return [
    strings.pocketText,
    strings.pocketNumbers(best, wrong(best), wrong(run.weights.length - 1)),
  ];
}
