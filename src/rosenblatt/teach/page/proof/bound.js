// The last idea of the proof: both claims meet; the chart, the bar, and why the bound is loose.

import { centred } from "../engine/decimals.js";
import { isWithin } from "../engine/limits.js";
import { CUT, DRAWN, FEW, worstOrder } from "../engine/orders.js";
import { mistakesBefore } from "../engine/run.js";
import { isFromZero } from "../engine/separability.js";
import { ratio } from "../engine/fractions.js";
import { count, equals, number, vector } from "../state/format.js";
import { sidesAfter, theoremNow } from "../state/proof.js";
import { el } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";
import { claimsChart, claimsOnceOf } from "./chart.js";
import { buildFrame } from "./frame.js";

/** Builds the idea into a part of the panel. */
export function buildBound(model, panel) {
  const [first, second] = ["floor", "ceiling"].map((kind) => {
    const part = kind === "floor" ? "least" : "most";
    return el("p", { className: `${kind} claim`, tabIndex: 0, "data-part": part });
  });
  const chain = el("p", { className: "chain" });
  const frame = buildFrame("chart");
  const bar = el("div", { className: "bar" }, el("div", { className: "filled" }));
  const barWords = el("span", { className: "bar-words" });
  const told = el("p", { className: "told", "aria-live": "polite" });
  const move = el("button", {
    id: "centre",
    className: "small",
    textContent: strings.centre,
    onclick: () => (told.textContent = centre(model)),
  });
  const worst = el("button", {
    id: "worst-order",
    className: "small",
    onclick: () => findWorst(model, told),
  });
  const loose = el(
    "details",
    { id: "loose" },
    el("summary", { textContent: strings.loose }),
    told,
    move,
    worst,
  );
  loose.addEventListener("toggle", () => {
    told.textContent = looseWords(model);
    if (loose.open) loose.scrollIntoView({ block: "nearest" });
    model.set({});
  });
  const row = el("div", { className: "bar-row" }, bar, barWords);
  panel.append(first, second, chain, frame.element, row, loose);
  return () => {
    const { run, t, found } = model;
    const k = mistakesBefore(run, t);
    [first.textContent, second.textContent] = claimWords(model, k);
    first.classList.toggle("off", !found.separable);
    chain.textContent = chainWords(model);
    move.disabled = model.isLocked("editing");
    worst.disabled = model.isLocked("conventions");
    worst.textContent = run.labels.length <= FEW ? strings.worstOrder : strings.worstDrawn(DRAWN);
    const pick = (mistake) => gotoMistake(model, mistake);
    frame.show((size) => claimsChart(model, k, size, pick), run, found, k);
    const share = found.bound ? Math.min(1, k / found.bound) : 0;
    bar.firstChild.style.width = `${100 * share}%`;
    barWords.textContent =
      found.bound === null
        ? found.separable
          ? ""
          : strings.noBound
        : strings.ofAtMost(k, number(found.bound));
  };
}

/** Returns both claims with their numbers after k mistakes: u·w in γ, so that all are fractions. */
function claimWords(model, k) {
  const { rise, least, length, most } = sidesAfter(model, k);
  const usual = isUsual(model);
  const second = (usual ? strings.claim2 : strings.claim2Start)(equals(length), equals(most), k);
  if (rise === null) return [model.found.separable ? "" : strings.noU, second];
  return [(usual ? strings.claim1 : strings.claim1Start)(equals(rise), equals(least), k), second];
}

/** Returns how both claims bound the mistakes. */
function chainWords(model) {
  const { found, run } = model;
  if (!found.separable) return "";
  if (!isFromZero(run.conventions)) return strings.chainStart(run.conventions.eta, number(found.limit));
  const { radius2, gamma2 } = theoremNow(model);
  return strings.chain(run.conventions.eta === 1, equals(ratio(radius2, gamma2)));
}

/** Returns whether the run has the theorem's own form: from w₀ = 0 with η = 1. */
function isUsual({ run }) {
  return isFromZero(run.conventions) && run.conventions.eta === 1;
}

/** Goes to the look after the k-th mistake. */
function gotoMistake(model, k) {
  const t = k === 0 ? 0 : model.run.used.findIndex((used) => used >= k);
  model.goto(t === -1 ? model.looks : t);
}

function looseWords(model) {
  const claims = claimsOnceOf(model);
  const last = model.run.weights.length - 1;
  if (!claims.projection || last === 0) return strings.noBound;
  const slope = (claims.projection[last] - claims.projection[0]) / last;
  const usual = isUsual(model);
  const least = model.found.gamma * model.run.conventions.eta;
  const share = Math.round((100 * claims.squares[last]) / claims.most[last]);
  const slopeWords = strings.looseSlope(usual, number(slope), number(least), number(slope / least));
  return `${slopeWords} ${strings.looseLength(usual, share)}`;
}

/** Returns whether the points may be moved so that their rounded mean is 0, and it is not. */
export function canCentre(model) {
  return !model.isLocked("editing") && centred(model.fields.points).mean.some((x) => x !== 0);
}

/** Moves the points so that their rounded mean is 0; returns what that does to the bound. */
export function centre(model) {
  const { points, labels, axes, classes } = model.fields;
  const { moved, mean, digits } = centred(points);
  if (!moved.flat().every(isWithin)) return strings.centreBeyond;
  const before = model.found.bound;
  model.replace({ points: moved, labels, axes, classes });
  const after = model.found.bound;
  return `${strings.centred(vector(mean), Math.max(...digits))} ${boundWords(before, after)}`;
}

/** Returns what became of the bound; null where there is no separator. */
function boundWords(before, after) {
  if (before === null && after === null) return strings.noBoundBoth;
  if (after === null) return strings.boundGone(before);
  return before === null ? strings.boundCame(after) : strings.boundMoved(before, after);
}

/** Takes the order with the most mistakes, and says of how many. */
function findWorst(model, told) {
  const { points, labels, conventions } = model.fields;
  if (points.length === 0) return;
  if (!model.found.separable && conventions.stop !== "pass") {
    told.textContent = strings.worstNever;
    return;
  }
  const mistakes = model.run.weights.length - 1;
  const before = count(mistakes, "mistake");
  const worst = worstOrder(points, labels, conventions);
  if (worst.mistakes < mistakes) {
    // the runs of the orders were cut earlier than this one
    told.textContent = `${strings.worstKept(worst.tried, before)} ${strings.worstCut(CUT)}`;
    return;
  }
  model.set({ order: worst.order, conventions: { ...conventions, pick: "every" }, t: 0 });
  const words = points.length <= FEW ? strings.worstOfAll : strings.worstOfDrawn;
  const cut = worst.cut ? ` ${strings.worstCut(CUT)}` : "";
  const most = count(worst.mistakes, "mistake");
  const { bound } = model.found;
  const end = bound === null ? "" : ` ${strings.boundKnowsNoOrder(bound)}`;
  told.textContent = words(worst.tried, before, most) + end + cut;
}
