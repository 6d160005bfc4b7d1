// The tab Proof: four ideas, one on the screen at a time, on the points at hand, and how they break.

import { lookOfUpdate, mistakesBefore } from "../engine/run.js";
import { isFromZero } from "../engine/separability.js";
import { el, setText } from "../../../utils/drawing/dom.js";
import { IDEAS } from "../state/model.js";
import { stepNow } from "../state/proof.js";
import { strings } from "../strings.js";
import { buildBound } from "./bound.js";
import { buildBroken } from "./broken.js";
import { lengthChart, marginsChart, riseChart } from "./blocks.js";
import { buildFormula, connectLights } from "./formula.js";
import { buildFrame } from "./frame.js";
import { buildTour } from "./tour.js";

/** What each idea shows below its formula: a function of the model and the size. */
const CHARTS = { separator: marginsChart, floor: riseChart, ceiling: lengthChart };

/** Builds the tab into a panel. */
export function buildProof(model, panel) {
  const chips = IDEAS.map((idea, k) =>
    el(
      "button",
      { id: `idea-${idea}`, className: "idea small", onclick: () => model.set({ idea, lit: null }) },
      el("b", { textContent: k + 1, "aria-hidden": "true" }),
      ` ${strings.ideas[idea]}`,
    ),
  );
  const choice = el("div", { className: "ideas", role: "group", "aria-label": strings.ideasLabel });
  choice.append(...chips);
  const sentence = el("p", { className: "sentence" });
  const formulas = Object.fromEntries(
    Object.keys(CHARTS).map((idea) => [idea, buildFormula(model, idea)]),
  );
  const note = el("p", { className: "meaning", "aria-live": "polite" });
  const frame = buildFrame("blocks");
  const onward = el("button", {
    id: "next-mistake",
    className: "small",
    textContent: strings.nextMistake,
    onclick: () => model.goto(nextStep(model.run, model.t)),
  });
  const foot = el("div", { className: "foot" }, note, onward);
  const [drawn, last, broken] = ["derivation", "bound", "derivation"].map((className) =>
    el("div", { className }),
  );
  drawn.append(sentence, ...Object.values(formulas).map(({ box }) => box), foot, frame.element);
  const renderWhole = { bound: buildBound(model, last), broken: buildBroken(model, broken) };
  const nothing = el("p", { className: "note", textContent: strings.nothingToProve });
  panel.append(choice);
  const renderTour = buildTour(model, choice, panel);
  panel.append(nothing, drawn, last, broken);
  connectLights(model, panel);
  const pickMistake = (k) => model.goto(lookOfUpdate(model.run, k));
  return () => {
    const { idea } = model.fields;
    const isEmpty = model.run.labels.length === 0;
    nothing.hidden = !isEmpty;
    choice.hidden = isEmpty;
    drawn.hidden = isEmpty || idea in renderWhole;
    last.hidden = isEmpty || idea !== "bound";
    broken.hidden = isEmpty || idea !== "broken";
    chips.forEach((chip, k) => chip.setAttribute("aria-pressed", String(IDEAS[k] === idea)));
    renderTour();
    panel.classList.toggle("touring", model.fields.tour !== null);
    if (isEmpty) return;
    if (idea in renderWhole) renderWhole[idea]();
    else renderIdea(idea);
    for (const part of panel.querySelectorAll("[data-part]"))
      part.classList.toggle("lit", part.dataset.part === model.fields.lit);
  };

  /** Shows one of the first three ideas. */
  function renderIdea(idea) {
    const step = stepNow(model);
    const { conventions } = model.run;
    const names = [strings.floorTerms, strings.ceilingTerms].map((terms) =>
      terms(isFromZero(conventions), conventions.eta),
    );
    const words = strings.ideaSentence[idea];
    setText(sentence, words(model.found.separable, conventions.eta, { ...names[0], ...names[1] }));
    for (const [name, { box, render }] of Object.entries(formulas)) {
      box.hidden = name !== idea;
      if (name === idea) render(step);
    }
    setText(note, noteOf(model, step));
    onward.hidden = idea === "separator" || step !== null || !model.run.wrong.includes(true);
    const isAhead = nextStep(model.run, model.t) > model.t;
    setText(onward, isAhead ? strings.nextMistake : strings.firstMistake);
    const { run, found, t } = model;
    frame.show((size) => CHARTS[idea](model, step, size, pickMistake), idea, run, found, t);
  }
}

/** Returns the meaning of what is pointed at, or where the proof stands. */
function noteOf(model, step) {
  const { run, t, looks, fields } = model;
  const row = /^row(\d+)$/.exec(fields.lit ?? "")?.[1];
  if (row !== undefined) return strings.rowMeaning(Number(row) + 1);
  if (fields.lit in strings.meanings) return strings.meanings[fields.lit];
  if (fields.idea === "separator") return strings.pointAtParts;
  if (step !== null) return strings.proofPlace(step.mistakes, t + 1);
  if (t >= looks) return strings.proofEnd(mistakesBefore(run, t));
  return run.wrong[t] ? strings.proofRounded : strings.proofRight(t + 1);
}

/** Returns the look of the next mistake; after the last one, that of the first. */
function nextStep({ wrong }, t) {
  const next = wrong.indexOf(true, t + 1);
  return next === -1 ? wrong.indexOf(true) : next;
}
