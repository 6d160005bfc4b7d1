// The verdict: converged and within the bound, or not separable, with the proof.

import { mistakesBefore, wrongAfter } from "../engine/run.js";
import { isFromZero } from "../engine/separability.js";
import { count, weightedPoints, number, vector } from "../state/format.js";
import { byId, el, setText } from "../../../utils/drawing/dom.js";
import { hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";
import { canCentre, centre } from "../proof/bound.js";

/** Returns the certificate as an equation: 1·(2, 3) + 1·(3, 2) = 2·(2.5, 2.5). */
function equationOf({ points, labels }, { rows, multipliers }, offset) {
  if (offset === "none") {
    const terms = rows.map(
      (row, i) => `${multipliers[i]}·${vector(points[row].map((x) => x * labels[row] + 0))}`,
    );
    return `${terms.join(" + ")} = (0, 0)`;
  }
  const sides = [1, -1].map((sign) => {
    const chosen = rows.map((row, i) => i).filter((i) => labels[rows[i]] === sign);
    return weightedPoints(
      points,
      chosen.map((i) => rows[i]),
      chosen.map((i) => multipliers[i]),
    );
  });
  return sides.join(" = ");
}

/** Returns the verdict before look t in words. */
function verdictOf(model) {
  const { run, found, t, looks, fields } = model;
  const mistakes = count(mistakesBefore(run, t), "mistake");
  if (run.kernel) return curveVerdict(model, mistakes);
  if (!found.separable) {
    const { offset } = run.conventions;
    const words = offset === "none" ? strings.notSeparableOrigin : strings.notSeparable;
    return words(equationOf(fields, found.certificate, offset));
  }
  if (found.bound === null) return strings.noPointsYet;
  const bound = number(found.bound);
  if (t < looks) {
    const { conventions } = run;
    return strings.so(mistakes, bound, strings.boundName(isFromZero(conventions), conventions.eta));
  }
  if (run.status === "converged") {
    const end = strings.converged(mistakes, count(run.epochStarts.length, "epoch"), bound);
    return run.rounded !== null ? `${end} ${strings.roundedRun}` : end;
  }
  if (run.status === "ended") {
    const errors = wrongAfter(run, run.weights.length - 1).length;
    return strings.endedVerdict(mistakes, count(errors, "point"), count(found.bound, "mistake"));
  }
  return strings.openVerdict(looks, count(found.bound, "mistake"));
}

/** Returns the verdict on the curve of a kernel in words; while a point is dragged without the bound. */
function curveVerdict(model, mistakes) {
  const { run, t, looks, fields } = model;
  if (fields.points.length === 0) return strings.noPointsYet;
  const bound = fields.dragging ? null : model.bound;
  const most = bound === null ? "" : strings.kernelMost(number(bound));
  if (t < looks) return strings.kernelSo(mistakes, most);
  if (run.status === "converged") return strings.kernelRight(mistakes, most);
  return strings.kernelStopped(mistakes, bound === null && !fields.dragging ? strings.kernelNone : most);
}

/** Returns what a repeated w proves, in words; "" if the data is separable. */
function cycleWords({ run, found, fields, looks }) {
  if (run.kernel ? run.status !== "cycles" : found.separable) return "";
  if (run.cycle) return strings.repeats(run.cycle.first, run.cycle.period);
  if (run.conventions.stop === "pass" || fields.recorded) return "";
  if (fields.order === "shuffled" || run.conventions.pick === "random")
    return strings.noProofShuffled;
  return strings.noRepeat(looks);
}

/** Returns whether the run was stopped before its end, which centred points may reach. */
function isFar(model) {
  const { run, found, t, looks } = model;
  return !run.kernel && found.separable && t >= looks && run.status === "open" && canCentre(model);
}

/** Builds the line of the verdict; `say` shows what centring did. */
export function buildVerdict(model, say) {
  const words = el("span", { role: "status", "aria-live": "polite" });
  const show = el("button", {
    className: "small",
    onclick: () => model.set({ proofShown: !model.fields.proofShown }),
  });
  const cycle = el("span", { className: "cycle" });
  const box = byId("verdict");
  const move = el("button", {
    id: "centre-here",
    className: "small",
    textContent: strings.centre,
    onclick: () => say(centre(model)),
  });
  box.append(words, show, move, cycle);
  return () => {
    const { found, fields, run } = model;
    const isTold = !hidesVerdict(fields);
    box.hidden = !isTold;
    const isProved = isTold && !found.separable && run.kernel === null;
    setText(words, isTold ? verdictOf(model) : "");
    show.hidden = !isProved;
    move.hidden = !isTold || !isFar(model);
    show.textContent = fields.proofShown ? strings.hide : strings.show;
    show.setAttribute("aria-pressed", String(fields.proofShown));
    setText(cycle, isTold ? cycleWords(model) : "");
    box.classList.toggle("inseparable", isProved);
    box.classList.toggle("done", isTold && !isProved && model.t >= model.looks && run.status === "converged");
  };
}
