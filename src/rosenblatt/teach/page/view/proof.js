// The tab Proof: both claims in numbers, the chart, the bar, and why the bound is loose.

import { mistakesBefore, runPerceptron } from "../engine/run.js";
import { permutation, randomNumbers } from "../engine/random.js";
import { separate } from "../engine/separability.js";
import { count, number } from "../state/format.js";
import { el } from "../state/dom.js";
import { strings } from "../strings.js";
import { claimsChart, claimsOnceOf } from "./chart.js";

const ORDERS = 300;

/** Builds the tab into a panel. */
export function buildProof(model, panel) {
  const first = el("p", { className: "floor claim" });
  const second = el("p", { className: "ceiling claim" });
  const frame = el("div", { className: "chart" });
  const bar = el("div", { className: "bar" }, el("div", { className: "filled" }));
  const barWords = el("span", { className: "bar-words" });
  const told = el("p", { className: "told", "aria-live": "polite" });
  const loose = el(
    "details",
    { id: "loose" },
    el("summary", { textContent: strings.loose }),
    told,
    el("button", {
      id: "centre",
      className: "small",
      textContent: strings.centre,
      onclick: () => centre(model, told),
    }),
    el("button", {
      id: "worst-order",
      className: "small",
      textContent: strings.worstOrder,
      onclick: () => findWorst(model, told),
    }),
  );
  loose.addEventListener("toggle", () => {
    told.textContent = looseWords(model);
    model.set({});
  });
  panel.append(first, second, frame, el("div", { className: "bar-row" }, bar, barWords), loose);
  return () => {
    const { run, t, found } = model;
    const k = mistakesBefore(run, t);
    [first.textContent, second.textContent] = claimWords(model, k);
    first.classList.toggle("off", !found.separable);
    const size = { width: frame.clientWidth, height: frame.clientHeight };
    if (size.width > 40 && size.height > 40) {
      frame.replaceChildren(claimsChart(model, k, size, (mistake) => gotoMistake(model, mistake)));
    }
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

/** Returns both claims with their numbers after k mistakes. */
function claimWords(model, k) {
  const claims = claimsOnceOf(model);
  const usual = model.fields.conventions.start === null && model.fields.conventions.eta === 1;
  const right = [number(claims.squares[k]), number(claims.most[k])];
  const second = usual ? strings.claim2(k, ...right) : strings.claim2Start(...right);
  if (!claims.projection) return [model.found.separable ? "" : strings.noU, second];
  const left = [number(claims.projection[k]), number(claims.least[k])];
  return [usual ? strings.claim1(k, ...left) : strings.claim1Start(...left), second];
}

/** Goes to the look after the k-th mistake. */
export function gotoMistake(model, k) {
  const t = k === 0 ? 0 : model.run.used.findIndex((used) => used >= k);
  model.goto(t === -1 ? model.looks : t);
}

function looseWords(model) {
  const claims = claimsOnceOf(model);
  const last = model.run.weights.length - 1;
  if (!claims.projection || last === 0) return strings.noBound;
  const slope = (claims.projection[last] - claims.projection[0]) / last;
  const { gamma } = model.found;
  const share = Math.round((100 * claims.squares[last]) / claims.most[last]);
  return `${strings.looseSlope(number(slope), number(gamma), number(slope / gamma))} ${strings.looseLength(share)}`;
}

/** Moves the points so that their mean is near 0. */
function centre(model, told) {
  const { points, labels, conventions } = model.fields;
  const mean = [0, 1].map((k) =>
    Math.round(points.reduce((sum, x) => sum + x[k], 0) / points.length),
  );
  const moved = points.map((x) => x.map((value, k) => value - mean[k]));
  const before = model.found.bound;
  const after = separate(moved, labels, conventions).bound;
  model.edit({ points: moved, labels }, { t: 0 });
  told.textContent = strings.centred(before ?? "∞", after ?? "∞");
}

/** Takes the order with the most mistakes of many that are drawn. */
function findWorst(model, told) {
  const { points, labels, conventions } = model.fields;
  const draw = randomNumbers(1);
  const every = { ...conventions, pick: "every" };
  const before = model.run.weights.length - 1;
  let [worst, most] = [null, -1];
  for (let k = 0; k < ORDERS && points.length > 1; k++) {
    const order = permutation(points.length, draw);
    const mistakes = runPerceptron(points, labels, every, order, 4000).weights.length - 1;
    if (mistakes > most) [worst, most] = [order, mistakes];
  }
  if (worst) model.set({ order: worst, conventions: every, t: 0 });
  told.textContent = strings.worstFound(
    count(before, "mistake"),
    count(most, "mistake"),
    model.found.bound ?? "∞",
  );
}
