// The fifth idea of the proof: an assumption is taken away, and a line of the proof turns red.

import { ASSUMPTIONS } from "../engine/broken.js";
import { fraction, fractionAsFloat } from "../engine/fractions.js";
import { quotient } from "../engine/nearest.js";
import { brokenNow, gotoBroken } from "../state/broken.js";
import { equals, vector } from "../state/format.js";
import { icon } from "../state/icons.js";
import { el, setText, svg } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";
import { addSteps, block, COLUMNS, FEWEST, finish, frameOf } from "./blocks.js";
import { chartWords } from "./chart.js";
import { buildFrame } from "./frame.js";

/** The lines of the proof in their order, each with the part that lights up in the picture. */
const LINES = ["gain", "rise", "middle", "last", "length", "end"];

/** The assumptions whose loss breaks the ceiling; that of the others breaks the floor. */
const OF_CEILING = ["radius", "mistakes"];

/** Where the name of the floor or the ceiling stands, as a share of the columns. */
const NAME_AT = 0.6;

/** Builds the idea into a part of the panel. */
export function buildBroken(model, panel) {
  const switches = ASSUMPTIONS.map((name) =>
    el("button", {
      id: `break-${name}`,
      className: "small switch",
      textContent: strings.assumptions[name],
      onclick: () => model.set({ broken: model.fields.broken === name ? "none" : name, brokenStep: null }),
    }),
  );
  const group = { className: "switches", role: "group", "aria-label": strings.assumptionsLabel };
  const choice = el("div", group, ...switches);
  const sentence = el("p", { className: "why", "aria-live": "polite" });
  const list = el("div", { className: "proof-lines" });
  const lines = LINES.map((name) => {
    const [left, right] = ["whole", "whole"].map((className) => el("span", { className }));
    const mark = el("span", { className: "mark" });
    const words = el("span", { className: "words" }, left, " ", right);
    const title = strings.meanings[name];
    const look = { className: `proof-line ${name}`, "data-part": name, "aria-label": title, title };
    const line = el("button", look, mark, words);
    list.append(line);
    return { name, line, mark, left, right };
  });
  const place = el("span", { className: "where", "aria-live": "polite" });
  const go = (id, name, words, move) => {
    const look = { id, className: "small", title: words, "aria-label": words };
    return el("button", { ...look, onclick: () => gotoBroken(model, move) }, icon(name));
  };
  const end = el("button", {
    id: "broken-last",
    className: "small",
    textContent: strings.lastStep(null),
    onclick: () => gotoBroken(model, () => Infinity),
  });
  const back = go("broken-back", "back", strings.previousStep, (t) => t - 1);
  const onward = go("broken-next", "forward", strings.nextBrokenStep, (t) => t + 1);
  const foot = el("div", { className: "foot" }, place, back, onward, end);
  const frame = buildFrame("blocks");
  panel.append(choice, sentence, list, foot, frame.element);
  return () => {
    const now = brokenNow(model);
    const last = now.run.steps.length;
    for (const [k, button] of switches.entries()) {
      button.setAttribute("aria-pressed", String(ASSUMPTIONS[k] === now.removed));
      button.disabled = !model.found.separable;
    }
    setText(sentence, sentenceOf(model, now));
    list.hidden = foot.hidden = frame.element.hidden = now.t === 0;
    if (now.t === 0) return;
    for (const line of lines) showLine(line, now);
    setText(place, strings.brokenPlace(now.t, last, now.run.steps[now.t - 1].row + 1));
    back.disabled = now.t === 1;
    onward.disabled = end.disabled = now.t === last;
    const isBeyond = model.found.bound !== null && last > model.found.bound;
    setText(end, strings.lastStep(isBeyond ? model.found.bound : null));
    frame.show((size) => brokenChart(model, now, size), now.run, model.found, now.t);
  };
}

/** Returns what fails, and why. */
function sentenceOf({ found }, { removed, fails, run, t }) {
  if (t === 0) return strings.noSteps;
  if (!found.separable) return strings.brokenAlready;
  const words = strings.brokenSentence[removed];
  if (removed === "none") return words();
  if (!fails) return strings.neverFails;
  const [{ row, before }] = run.steps;
  const start = () => vector(before.map((cell) => quotient(cell, run.unit * run.scale)));
  return words({ margin: () => row + 1, rate: () => Number(run.rate), start }[removed]?.());
}

/** Shows a line with its numbers, and whether it holds. */
function showLine({ name, line, mark, left, right }, { removed, lines, run, t }) {
  const isFailed = lines.failed.includes(name);
  const sides = lineWords(name, removed === "rate" ? "η " : "", { ...lines, radius2: run.radius2 }, t);
  line.classList.toggle("failed", isFailed);
  setText(mark, isFailed ? "✗" : "✓");
  setText(left, sides[0]);
  setText(right, sides[1]);
  const text = sides.join(" ").trim();
  line.setAttribute("aria-label", (isFailed ? strings.lineFails : strings.lineHolds)(text));
}

/** Returns the sides of a line, the second with the sign between them: "y u·x = 12/5 γ", "≥ γ". */
function lineWords(name, rate, { failed, limit, most, radius2, ...sides }, t) {
  const [symbol, limitName] = strings.brokenLines[name](rate);
  if (name === "end") {
    const sign = failed.includes(name) ? ">" : "≤";
    return limit === null ? [strings.noEnd, ""] : [`${symbol} = ${t}`, `${sign} ${limitName} ${equals(limit)}`];
  }
  if (sides[name] === null) return [strings.noLine(symbol, limitName), ""];
  const words = ({ top, bottom }) => equals(fraction(top, bottom));
  const isFloor = name === "gain" || name === "rise";
  const [holds, fails] = isFloor ? ["≥", "<"] : ["≤", ">"];
  const sign = failed.includes(name) ? fails : holds;
  const unit = isFloor ? " γ" : "";
  const right = {
    gain: limitName,
    rise: `${limitName} = ${t} γ`,
    middle: "0",
    last: `${limitName} ${words(radius2)}`,
    length: `${limitName} ${words(most)}`,
  }[name];
  return [`${symbol} ${words(sides[name])}${unit}`, `${sign} ${right}`];
}

/** Returns the chart of the side that fails: a bar for each step, red where it fails. */
function brokenChart(model, { removed, run, t, lines }, size) {
  const last = run.steps.length;
  const isCeiling = OF_CEILING.includes(removed) || lines.rise === null;
  const [name, kind] = isCeiling ? ["length", "ceiling"] : ["rise", "floor"];
  const from = Math.max(1, Math.min(t - COLUMNS / 2, last - COLUMNS + 1));
  const count = Math.max(FEWEST, Math.min(COLUMNS, last - from + 1));
  const until = Math.min(last, from + count - 1);
  const shown = Array.from({ length: until - from + 1 }, (_, i) => from + i);
  const value = (k) => fractionAsFloat(run.linesAfter(k)[name]);
  const limit = (k) => (isCeiling ? k * fractionAsFloat(run.radius2) : k);
  const values = shown.flatMap((k) => [value(k), limit(k)]);
  const range = [Math.min(0, ...values), Math.max(...values) * 1.06];
  const failed = shown.filter((k) => run.linesAfter(k).failed.includes(name));
  const axis = isCeiling ? "‖w‖²" : strings.riseAxis;
  const frame = frameOf(size, from, count, range, strings.brokenChart(axis, until, failed.length));
  for (const k of shown) {
    const state = `${failed.includes(k) ? "failed" : kind}${k === t ? " now" : ""}`;
    block(frame, k, [0, value(k)], { class: `block ${state}`, "data-part": name });
  }
  addSteps(frame, { from, last: until, now: from + Math.round((until - from) * NAME_AT) }, limit, kind);
  chartWords(frame.chart, axis, 4, 12, { class: "small" });
  const pickStep = (brokenStep) => model.set({ brokenStep });
  const chart = finish(frame, { from, count, pickMistake: pickStep, last });
  if (lines.limit === null) return chart;
  const meeting = fractionAsFloat(lines.limit) + 1; // after the column of the last step allowed
  if (meeting <= from || meeting > from + count) return chart;
  const across = frame.x(Math.floor(meeting));
  chart.append(svg("path", { class: "meeting", d: `M${across} 16V${size.height - 22}` }));
  const look = { class: "small", "text-anchor": "end" };
  chartWords(chart, strings.lastAllowed(Math.floor(meeting) - 1), across + 4, 12, look);
  return chart;
}
