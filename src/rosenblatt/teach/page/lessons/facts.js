// The numbers of a lesson's prose: {name} in a note stands for a fact of the note's own state.

import { fraction, product, ratio } from "../engine/fractions.js";
import { lengthOf, proofStep, riseOf } from "../engine/proof.js";
import { brokenBy, dot, lineAt, mistakesBefore, wrongAfter } from "../engine/run.js";
import { bandOf, pocketAt } from "../plane/scene.js";
import { unpackState } from "../state/address.js";
import { withoutUnknown } from "../state/checks.js";
import { fractionWords, number, signed, vector } from "../state/format.js";
import { Model, oncePer } from "../state/model.js";
import { theoremNow } from "../state/proof.js";
import { strings } from "../strings.js";
import { errorsAt, marginAt } from "../view/beyond.js";

/** Returns the note of a packed state with its facts in place of their names. */
export const proseOf = oncePer((packed) => {
  const note = packed.note ?? "";
  if (!note.includes("{")) return note;
  const facts = factsOf(modelOf(packed));
  return note.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = Object.hasOwn(facts, name) ? facts[name] : whole;
    return typeof value === "number" ? number(value) : value;
  });
});

/** Returns a packed state as a model of its own. */
export function modelOf(packed) {
  const { conventions, t, ...fields } = unpackState(withoutUnknown(packed).known);
  const model = new Model();
  model.load({ ...fields, conventions });
  model.set({ t });
  return model;
}

/** Returns the facts of a model by their names: numbers, and words. */
export function factsOf(model) {
  const { run, found, t } = model;
  return {
    points: run.labels.length,
    looks: model.looks,
    epochs: run.epochStarts.length,
    mistakes: mistakesBefore(run, t),
    allMistakes: run.weights.length - 1,
    wrong: wrongAfter(run, mistakesBefore(run, t)).length,
    ...(run.cycle ? { period: run.cycle.period } : {}),
    ...(t < model.looks ? lookFacts(model) : {}),
    ...(run.kernel ? {} : lineFacts(model)),
    ...(found.separable && !run.kernel ? theoremFacts(model) : {}),
  };
}

/** Returns the facts of the look, and of the update if it is a mistake. */
function lookFacts({ run, t, fields }) {
  const row = run.rows[t];
  const facts = {
    look: t + 1,
    x: vector(fields.points[row]),
    y: signed(run.labels[row]),
    score: run.scores[t],
  };
  if (!run.wrong[t] || run.kernel) return facts;
  const after = run.weights[run.used[t] + 1];
  return {
    ...facts,
    newWeights: vector(after),
    newScore: dot(after, run.stored[row]),
    square: dot(run.stored[row], run.stored[row]),
    broken: strings.pointList(brokenBy(run, t).map((broken) => broken + 1)),
  };
}

/** Returns the facts of the line, and of what comes after the perceptron. */
function lineFacts({ run, t }) {
  const k = mistakesBefore(run, t);
  const errors = errorsAt(run, t);
  const pocket = pocketAt(run, t);
  const band = bandOf(run);
  return {
    w: vector(lineAt(run, t).w),
    b: lineAt(run, t).b,
    weights: vector(run.weights[k]),
    length2: fractionWords(lengthOf(run, k)),
    averageWrong: errors.average,
    voteWrong: errors.votes,
    pocketWrong: pocket.errors[pocket.best],
    margin: marginAt(run, t),
    ...(band ? { band: band.margin, support: band.support.length } : {}),
  };
}

/** Returns the facts of the theorem: u·w in units of γ, and what a mistake adds. */
function theoremFacts(model) {
  const { run, found, t } = model;
  const { gamma2, radius2 } = theoremNow(model);
  const k = mistakesBefore(run, t);
  const inGammas = (value) => fractionWords(ratio(value, gamma2));
  const facts = {
    bound: found.bound,
    u: vector(found.u),
    gamma: found.gamma,
    radius: found.radius,
    radius2: fractionWords(radius2),
    rise: inGammas(riseOf(run, found, k)),
    most: fractionWords(product(fraction(BigInt(k)), radius2)),
  };
  const step = proofStep(run, found, t);
  if (step === null) return facts;
  return {
    ...facts,
    gain: inGammas(step.gain),
    newRise: inGammas(step.rise),
    middle: fractionWords(step.split[1]),
    newLength2: fractionWords(step.length2),
  };
}
