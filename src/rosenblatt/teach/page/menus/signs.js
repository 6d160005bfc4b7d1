// What the lines, the arrows and the × of the plane mean: a sample of each beside its words.

import { el, svg } from "../../../utils/drawing/dom.js";
import { drawnIdea, isAsking } from "../state/model.js";
import { strings } from "../strings.js";

/** The drawing of each sign, on 24 × 12 pixels, and the colour that it has on the plane. */
const SAMPLES = {
  now: ["M1 6H23", "ink", { "stroke-width": 3 }],
  next: ["M1 6H23", "ink", { "stroke-dasharray": "5 3" }],
  w: ["M1 6H22M17 2L22 6L17 10", "ink"],
  step: ["M1 6H6M9 6H14M17 2L22 6L17 10", "positive"],
  curve: ["M1 9C8 -4 14 16 23 3", "ink", { "stroke-width": 3 }],
  term: ["M1 6H22M17 2L22 6L17 10", "positive"],
  alpha: ["M16 1C14 6 11 11 8 11S4 9 4 6 6 1 9 1 14 7 17 11", "ink"],
  breaks: ["M8 2L16 10M16 2L8 10", "wrong", { "stroke-width": 3 }],
  u: ["M1 6H22M17 2L22 6L17 10", "floor"],
  band: ["M1 2H23M1 10H23", "floor", { "stroke-dasharray": "2 3" }],
  circle: ["M12 1A5 5 0 1 1 11.9 1", "ceiling"],
  gain: ["M4 6H20", "floor", { "stroke-width": 5 }],
};

/** The signs of each idea of the proof. */
const OF_IDEA = {
  separator: ["u", "band", "circle"],
  floor: ["u", "band", "gain"],
  ceiling: ["circle", "now", "next", "w", "step", "breaks"],
  broken: ["now", "u", "band", "circle"],
};

/** Returns the names of the signs that the plane may show now. */
export function signsNow(model) {
  const idea = drawnIdea(model.fields);
  if (idea !== null && idea !== "ceiling" && !model.found.separable)
    return OF_IDEA[idea].filter((name) => ["circle", "now"].includes(name));
  if (idea !== null) return OF_IDEA[idea];
  const ofDual = model.fields.beyond === "dual" ? ["term", "alpha"] : [];
  if (model.run.kernel) return ["curve", "alpha", "breaks"];
  const isUpdateShown = ["none", "dual"].includes(model.fields.beyond);
  const shows = model.run.wrong[model.t] && !isAsking(model) && isUpdateShown;
  return [...(shows ? ["now", "next", "w", "step", "breaks"] : ["now", "w"]), ...ofDual];
}

/** Returns a list of signs; without names, of all. */
export function signList(names = Object.keys(SAMPLES)) {
  return el("div", { className: "signs" }, ...names.map(signRow));
}

function signRow(name) {
  const [d, colour, look = {}] = SAMPLES[name];
  const path = svg("path", { d, style: `stroke: var(--${colour})`, ...look });
  const sample = svg("svg", { viewBox: "0 0 24 12", "aria-hidden": "true" }, path);
  return el("p", { className: "sign-row" }, sample, el("span", { textContent: strings.signs[name] }));
}
