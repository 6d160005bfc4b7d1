// The formula of an idea: terms with their numbers below, each of which can be pointed at.

import { decimalFraction, difference, product, ratio } from "../engine/fractions.js";
import { mistakesBefore } from "../engine/run.js";
import { isFromZero } from "../engine/separability.js";
import { el, setText } from "../../../utils/drawing/dom.js";
import { fractionWords, vector } from "../state/format.js";
import { sidesAfter, theoremNow } from "../state/proof.js";
import { strings } from "../strings.js";

/** The terms of each idea, each with what stands before it. */
const TERMS = {
  separator: [
    ["", "u"],
    ["", "gamma"],
    ["", "radius"],
  ],
  floor: [
    ["", "rise"],
    ["=", "before"],
    ["+", "gain"],
    ["≥", "least"],
  ],
  ceiling: [
    ["", "length"],
    ["=", "before"],
    ["+", "middle"],
    ["+", "last"],
    ["≤", "most"],
  ],
};

/** Lights a part of the proof wherever it stands, while it is pointed at or has the focus. */
export function connectLights(model, box) {
  const partOf = (event) => event.target.closest("[data-part]")?.dataset.part ?? null;
  for (const kind of ["pointerover", "focusin", "click"])
    box.addEventListener(kind, (event) => model.light(partOf(event)));
  box.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && model.light(null));
  box.addEventListener("focusout", () => model.light(null));
}

/** Builds the formula of an idea; `render` takes the claims at the look, or null. */
export function buildFormula(model, idea) {
  const box = el("div", { className: `formula ${idea}` });
  const terms = {};
  for (const [operator, name] of TERMS[idea]) {
    const [symbol, value, under] = ["symbol", "value", "under"].map((className) =>
      el("span", { className }),
    );
    const look = { className: "term", "data-part": name, "aria-label": strings.meanings[name] };
    const button = el("button", look, symbol, value, under);
    const sign = el("span", { className: "operator", textContent: operator });
    box.append(el("span", { className: "joined" }, operator === "" ? null : sign, button));
    terms[name] = { button, symbol, value, under };
  }
  const render = (step) => {
    const parts = PARTS[idea](model, step);
    for (const [name, { button, symbol, value, under }] of Object.entries(terms)) {
      const [sign, number, remark = ""] = parts[name];
      setText(symbol, sign);
      setText(value, number);
      setText(under, remark);
      button.title = strings.meanings[name];
      button.setAttribute("aria-label", `${sign} = ${number} ${remark}. ${strings.meanings[name]}`);
    }
    box.classList.toggle("still", step === null && idea !== "separator");
  };
  return { box, render };
}

/** Returns symbol, number and remark of each term of an idea. */
const PARTS = { separator: separatorParts, floor: floorParts, ceiling: ceilingParts };

function separatorParts(model) {
  const { gamma2, radius2 } = theoremNow(model);
  return {
    u: ["u", model.found.u ? vector(model.found.u) : strings.none],
    gamma: ["γ²", gamma2 ? fractionWords(gamma2) : strings.none],
    radius: ["R²", fractionWords(radius2)],
  };
}

/** Returns the terms of u·w′ = u·w + y u·x in units of γ: fractions, as u·w is not. */
function floorParts(model, step) {
  const { eta } = model.run.conventions;
  const { gamma2 } = theoremNow(model);
  const names = strings.floorTerms(isFromZero(model.run.conventions), eta);
  if (gamma2 === null) return noTerms(names);
  const words = (value) => strings.gammas(fractionWords(value));
  const k = mistakesBefore(model.run, model.t) + (step ? 1 : 0);
  const { rise, least } = sidesAfter(model, k);
  const gain = step && ratio(product(step.gain, decimalFraction(eta)), gamma2);
  return {
    rise: [names.rise, words(rise)],
    before: [names.before, step ? words(difference(rise, gain)) : "–"],
    gain: [names.gain, step ? words(gain) : "–", step ? strings.atLeastGamma(eta) : ""],
    least: [names.least, words(least), strings.tIs(k)],
  };
}

function ceilingParts(model, step) {
  const { conventions } = model.run;
  const names = strings.ceilingTerms(isFromZero(conventions), conventions.eta);
  const k = mistakesBefore(model.run, model.t) + (step ? 1 : 0);
  const { length, most } = sidesAfter(model, k);
  const [before, middle, last] = step ? step.split.map(fractionWords) : ["–", "–", "–"];
  return {
    length: [names.length, fractionWords(length)],
    before: [names.before, before],
    middle: [names.middle, middle, step ? strings.atMostZero : ""],
    last: [names.last, last, step ? strings.atMostRadius(conventions.eta) : ""],
    most: [names.most, fractionWords(most), strings.tIs(k)],
  };
}

function noTerms(names) {
  return Object.fromEntries(
    Object.entries(names).map(([name, symbol]) => [name, [symbol, strings.none]]),
  );
}
