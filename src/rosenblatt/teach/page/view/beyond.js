// The tab Beyond: what the current view adds, in numbers; the lift turns here.

import { survivedOf, voteAt, votersOf } from "../engine/beyond.js";
import { asLine } from "../engine/conventions.js";
import { alphaAt, DEGREES } from "../engine/dual.js";
import { dot, lineAt, mistakesBefore, sgn } from "../engine/run.js";
import { isFromZero } from "../engine/separability.js";
import { averageLineOf, bandOf, pocketAt, pointsOf } from "../plane/scene.js";
import { buildLift } from "../plane/lift.js";
import { equals, number, signed, vector, weightedPoints } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { sizeOf } from "../state/look.js";
import { dualTheoremOf, hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";
import { barChart, MOST } from "./bars.js";
import { drawGram } from "./gram.js";

/** The views with a Gram matrix. */
const WITH_GRAM = ["dual", "kernel"];

/** Of more terms, w is not written out. */
const WRITTEN_TERMS = 4;

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
  for (const value of DEGREES)
    degree.append(el("option", { value, textContent: strings.degree(value) }));
  degree.addEventListener("change", () => model.set({ degree: Number(degree.value) }));
  const degreeRow = el("label", {}, `${strings.kernelName} `, degree);
  const words = el("div", { className: "told" });
  const canvas = el("canvas", { id: "lift", role: "img", "aria-label": strings.liftLabel });
  const gram = el("canvas", { id: "gram", role: "img", "aria-label": strings.gramLabel(0) });
  const bars = el("div", { id: "bars", className: "blocks" });
  panel.append(choice, degreeRow, words, el("div", { className: "stage" }, canvas, gram), bars);
  const drawLift = buildLift(model, canvas);
  return () => {
    const { beyond } = model.fields;
    for (const button of choice.children)
      button.setAttribute("aria-pressed", String(button.id === `beyond-${beyond}`));
    degreeRow.hidden = beyond !== "kernel";
    degree.value = String(model.fields.degree);
    words.replaceChildren(...wordsOf(model).map((textContent) => el("p", { textContent })));
    canvas.hidden = beyond !== "lift";
    gram.hidden = !WITH_GRAM.includes(beyond);
    const chart = barsOf(model);
    bars.hidden = chart === null;
    if (beyond === "lift") drawLift(); // each measures the room that the others leave
    if (!gram.hidden) drawGram(model, gram);
    if (chart === null) return;
    const size = sizeOf(bars);
    if (size.width > 40 && size.height > 40) bars.replaceChildren(barChart(chart.bars, chart, size));
  };
}

/** Returns what the view shows, in words and numbers. */
function wordsOf(model) {
  const { run, t, fields } = model;
  const { beyond } = fields;
  if (fields.points.length === 0 || beyond === "none") return [strings.beyondNothing];
  if (beyond === "votes") return voteWords(run, t);
  if (beyond === "margin") return hidesVerdict(fields) ? [strings.bandUntold] : marginWords(model);
  if (beyond === "pocket") return pocketWords(run, t);
  if (beyond === "lift") return [strings.liftText, strings.liftSum, ...spaceWords(model)];
  if (beyond === "dual") {
    const withOffset = run.conventions.offset !== "none";
    return [...dualWords(model), strings.gramText(strings.linearKernel, withOffset)];
  }
  const matrix = strings.gramText(strings.degree(fields.degree), true);
  return [strings.kernelText(fields.degree), matrix, ...spaceWords(model)];
}

/** Returns the bound on the mistakes of a kernel's run in words. */
function spaceWords(model) {
  const { run, fields } = model;
  if (hidesVerdict(fields) || fields.dragging) return []; // to find it takes longer than a frame
  const { bound } = model;
  if (bound === null) return [strings.kernelUnbounded];
  const { radius2, gamma2 } = dualTheoremOf(run);
  return [strings.kernelBound(equals(radius2), equals(gamma2), bound)];
}

/** Returns w as the sum of its terms in words. */
function dualWords({ run, t, fields }) {
  const { eta } = run.conventions;
  const alpha = alphaAt(run, t);
  const rows = alpha.flatMap((value, row) => (value > 0 ? [row] : []));
  const isFromStart = isFromZero(run.conventions);
  const says = [strings.dualSum(eta, isFromStart)];
  if (rows.length === 0 || rows.length > WRITTEN_TERMS || eta !== 1 || !isFromStart) return says;
  const factors = rows.map((row) => signed(alpha[row] * run.labels[row]));
  const terms = weightedPoints(fields.points, rows, factors);
  return [...says, strings.dualText(vector(lineAt(run, t).w), terms)];
}

/** Returns the bars of the view, and what they are about; null for a view without. */
function barsOf(model) {
  const { run, t, fields } = model;
  const about = { axis: strings.barAxes[fields.beyond], label: strings.barLabels[fields.beyond] };
  if (fields.points.length === 0) return null;
  if (fields.beyond === "votes") {
    const last = mistakesBefore(run, t);
    const votes = survivedOf(run, t).slice(0, last + 1);
    const bars = votes.map((value, k) => ({ value, look: k === last ? "floor now" : "floor" }));
    return { ...about, from: 0, bars };
  }
  if (fields.beyond === "pocket") {
    const { errors, best } = pocketAt(run, t);
    const shown = errors.slice(0, best + MOST); // so that the pocket's is among the last
    const bars = shown.map((value, k) => ({ value, look: k === best ? "ceiling now" : "old ceiling" }));
    return { ...about, from: 0, bars };
  }
  const band = fields.beyond === "margin" && !hidesVerdict(fields) ? bandOf(run) : null;
  if (band === null) return null;
  const bars = fields.points.map((x, row) => ({
    value: (run.labels[row] * (dot(band.w, x) + band.b)) / Math.hypot(...band.w),
    look: run.labels[row] > 0 ? "positive" : "negative",
  }));
  return { ...about, level: band.margin, bars };
}

function errorsBy(run, predict) {
  return run.stored.filter((x, row) => predict(x) !== run.labels[row]).length;
}

/** Returns the number of points that w, the average and the vote get wrong before look t. */
export function errorsAt(run, t) {
  const { tie, offset } = run.conventions;
  const voters = votersOf(run, survivedOf(run, t));
  const average = averageLineOf(run, t);
  const last = run.weights[mistakesBefore(run, t)];
  const plain = (x) => asLine(x, offset).w;
  return {
    last: errorsBy(run, (x) => sgn(dot(last, x), tie)),
    average: errorsBy(run, (x) => sgn(dot(average.w, plain(x)) + average.b, tie)),
    votes: errorsBy(run, (x) => sgn(voteAt(voters, plain(x), tie), tie)),
  };
}

function voteWords(run, t) {
  if (t === 0) return [strings.votesText(0, 0)];
  const survived = survivedOf(run, t);
  const errors = errorsAt(run, t);
  const longest = Math.max(...survived);
  const voter = asLine(run.weights[survived.indexOf(longest)], run.conventions.offset);
  return [
    strings.votesText(survived.filter((c) => c > 0).length, t),
    strings.votesErrors(errors.last, errors.average, errors.votes),
    strings.votesLongest(vector(voter.w), longest),
  ];
}

function marginWords({ run, t }) {
  const band = bandOf(run);
  if (!band) return [strings.noBand];
  return [
    strings.bandText(number(band.margin), band.support.length),
    strings.ownMargin(number(marginAt(run, t))),
  ];
}

/** Returns the margin of the line before look t. */
export function marginAt(run, t) {
  return marginOf(run, lineAt(run, t));
}

/** Returns the margin of a line: the smallest distance of a point, below 0 on the wrong side. */
export function marginOf(run, { w, b }) {
  const length = Math.hypot(...w);
  const heights = pointsOf(run).map((x, row) => run.labels[row] * (dot(w, x) + b));
  return length ? Math.min(...heights) / length : 0;
}

function pocketWords(run, t) {
  const { errors, best } = pocketAt(run, t);
  return [strings.pocketText, strings.pocketNumbers(best, errors[best], errors.at(-1))];
}
