// The proof of the model's run: what is known before it, each step, and both as text.

import { fractionText } from "../engine/fractions.js";
import { claimsAfter, proofStep, theoremOf } from "../engine/proof.js";
import { oncePer } from "./model.js";

const theoremOnce = oncePer((found) => oncePer((run) => theoremOf(run, found)));

/** Returns what the proof knows of a model's example. */
export function theoremNow({ run, found }) {
  return theoremOnce(found)(run);
}

/** Returns both sides of the claims of a model's run after some mistakes, of u·w in γ. */
export function sidesAfter(model, mistakes) {
  return claimsAfter(model.run, model.found, theoremNow(model), mistakes);
}

/** Returns the claims at the look of the model: null if it is right, at the end, or asked for. */
export function stepNow(model) {
  return model.isAsking ? null : proofStep(model.run, model.found, model.t);
}

/** Returns the claims at look t of a model's run as text; null if it is no mistake, or of a kernel's run. */
export function proofTexts(model, t) {
  const { run, found } = model;
  const step = run.kernel ? null : proofStep(run, found, t);
  if (step === null) return null;
  const { p, gamma2, radius2, bound } = theoremNow(model);
  const { gain, split, rise, length2, mistakes } = step;
  const text = (value) => value && fractionText(value);
  return {
    p: p && p.map(text),
    gamma2: text(gamma2),
    radius2: text(radius2),
    gain: text(gain),
    split: split.map(text),
    rise: text(rise),
    length2: text(length2),
    mistakes: String(mistakes),
    bound: bound === null ? null : String(bound),
  };
}
