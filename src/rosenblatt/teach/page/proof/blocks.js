// The charts of the first three ideas: margins of the points, and blocks that mistakes stack.

import { dot, lookOfUpdate, mistakesBefore } from "../engine/run.js";
import { linePath, svg } from "../../../utils/drawing/dom.js";
import { grouped } from "../state/format.js";
import { theme } from "../state/look.js";
import { strings } from "../strings.js";
import { chartWords, claimsOnceOf } from "./chart.js";
import { updateTriangle } from "./triangle.js";

const SIDES = { left: 46, right: 12, top: 16, bottom: 26 };

/** The most columns of blocks; of more mistakes, the last ones are shown. */
export const COLUMNS = 40;

/** The least number of columns, so that the first blocks are not wide. */
export const FEWEST = 4;

/** The share of a column that its blocks fill. */
const FILLED_WIDTH = 0.78;

/** The width of the name of a floor or a ceiling, in pixels. */
const NAME_ROOM = 50;

/** The triangle of the update: its width at most, and as a share of the chart. */
const [TRIANGLE, TRIANGLE_SHARE] = [230, 0.42];

/** Returns the frame of a chart of columns, and its scales. */
export function frameOf({ width, height }, from, count, [low, high], label) {
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const step = (width - SIDES.left - SIDES.right) / count;
  const room = height - SIDES.top - SIDES.bottom;
  return {
    chart,
    step,
    x: (k) => SIDES.left + (k - from) * step,
    y: (value) => SIDES.top + (room * (high - value)) / (high - low || 1),
    right: width - SIDES.right,
    bottom: height - 8,
  };
}

/** Draws a block of the column k between two heights. */
export function block({ chart, x, y, step }, k, [from, to], look) {
  const [top, bottom] = [Math.min(y(from), y(to)), Math.max(y(from), y(to))];
  const left = x(k) + (step * (1 - FILLED_WIDTH)) / 2;
  const size = { x: left, y: top, width: step * FILLED_WIDTH, height: Math.max(0, bottom - top) };
  chart.append(svg("rect", { ...size, ...look }));
}

/** Writes the numbers of the columns, so many that they do not touch. */
function numberColumns({ chart, x, step, bottom }, from, count, title) {
  const every = Math.ceil((theme().small * 2.2) / step);
  for (let k = from; k < from + count; k += every)
    chartWords(chart, grouped(k), x(k) + step / 2, bottom, { class: "small", "text-anchor": "middle" });
  chartWords(chart, title, 4, bottom, { class: "small" });
}

/** Returns the chart of y u·x of every point, in units of γ: none is below 1. */
export function marginsChart({ run, found }, _, size) {
  const signed = (row) => run.labels[row] * dot(found.u, run.stored[row]);
  const heights = found.u ? run.labels.map((_, row) => signed(row) / found.gamma) : [];
  const most = Math.max(1, ...heights) * 1.08;
  const count = Math.max(1, run.labels.length);
  const frame = frameOf(size, 1, count, [0, most], strings.marginsLabel);
  const { chart, y, right } = frame;
  heights.forEach((height, row) => {
    const part = `row${row}`;
    const sign = run.labels[row] > 0 ? "positive" : "negative";
    block(frame, row + 1, [0, height], { class: `block ${sign}`, "data-part": part });
  });
  chart.append(svg("path", { class: "axis", d: `M${SIDES.left} ${y(0)}H${right}` }));
  if (!found.u) return chart;
  const d = `M${SIDES.left} ${y(1)}H${right}`;
  chart.append(svg("path", { class: "floor line", d, "data-part": "gamma" }));
  chartWords(chart, "γ", SIDES.left - 8, y(1) + 5, { class: "floor", "text-anchor": "end" });
  chartWords(chart, "y u·x", 4, 12, { class: "small" });
  numberColumns(frame, 1, count, strings.pointsAxis);
  return chart;
}

/** Returns the columns of a run: up to the mistake after the one of the look, or after the last. */
function columnsOf({ run, t }, step) {
  const now = step ? step.mistakes : mistakesBefore(run, t);
  const end = Math.max(1, Math.min(run.weights.length - 1, Math.max(now + 1, FEWEST)));
  const from = Math.max(1, end - COLUMNS + 1);
  return { now, from, last: Math.min(end, run.weights.length - 1), count: end - from + 1 };
}

/** Returns the chart of u·w, in units of γ: a block for each mistake, above the steps of the floor. */
export function riseChart(model, step, size, pickMistake) {
  const { run, found } = model;
  const { now, from, count, last } = columnsOf(model, step);
  const claims = claimsOnceOf(model);
  if (!found.u) return lengthOnly(size);
  const at = (k) => claims.projection[k] / found.gamma;
  const floor = (k) => claims.least[k] / found.gamma;
  const shown = Array.from({ length: Math.max(0, now - from + 1) }, (_, i) => from + i);
  const values = [0, floor(last), ...shown.map(at), at(from - 1)];
  const range = [Math.min(...values), Math.max(1, ...values) * 1.06];
  const frame = frameOf(size, from, count, range, strings.riseLabel(now));
  for (const k of shown) {
    const isNow = step !== null && k === now;
    block(frame, k, [0, at(k - 1)], {
      class: "block floor old",
      "data-part": isNow ? "before" : "rise",
    });
    block(frame, k, [at(k - 1), at(k)], {
      class: `block floor${isNow ? " now" : ""}`,
      "data-part": isNow ? "gain" : "rise",
    });
  }
  addSteps(frame, { from, last, now }, floor, "floor");
  chartWords(frame.chart, strings.riseAxis, 4, 12, { class: "small" });
  return finish(frame, { from, count, pickMistake, last: run.weights.length - 1 });
}

function lengthOnly({ width, height }) {
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  chart.setAttribute("aria-label", strings.noU);
  return chart;
}

/** Adds the line of a floor or a ceiling: a step for each column, with its name at the current one. */
export function addSteps({ chart, x, y, step }, { from, last, now }, height, kind) {
  const part = kind === "floor" ? "least" : "most";
  const corners = [];
  for (let k = from; k <= last; k++) corners.push([x(k), y(height(k))], [x(k) + step, y(height(k))]);
  if (corners.length === 0) return;
  chart.append(svg("path", { class: `${kind} line`, "data-part": part, d: linePath(corners) }));
  const k = Math.min(now + 1, last); // above it is no block yet
  const at = y(height(k)) - 7;
  const look = { class: `${kind} name`, "data-part": part, "text-anchor": "end" };
  chartWords(chart, strings.stepNames[kind], Math.max(x(k) + step - 4, SIDES.left + NAME_ROOM), at, look);
}

/** Adds axis and numbers; a click on a column goes to its mistake. */
export function finish(frame, { from, count, pickMistake, last }) {
  const { chart, y, x, step, right } = frame;
  chart.append(svg("path", { class: "axis", d: `M${SIDES.left} ${y(0)}H${right}` }));
  numberColumns(frame, from, count, strings.mistakesShort);
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const left = ((event.clientX - box.left) / box.width) * chart.viewBox.baseVal.width;
    const k = from + Math.floor((left - x(from)) / step);
    if (k >= from && k <= last) pickMistake(k);
  });
  return chart;
}

/** Returns the chart of ‖w‖² below the steps of its ceiling, and the triangle of the update. */
export function lengthChart(model, step, { width, height }, pickMistake) {
  const { run } = model;
  const { now, from, count, last } = columnsOf(model, step);
  const claims = claimsOnceOf(model);
  const aside = step ? Math.min(TRIANGLE, width * TRIANGLE_SHARE) : 0;
  const shown = Array.from({ length: Math.max(0, now - from + 1) }, (_, i) => from + i);
  const added = (k) => claims.squares[k - 1] + addedSquare(model, k);
  const values = [claims.most[last], ...shown.map(added)];
  const high = Math.max(1e-300, ...values) * 1.06;
  const label = strings.lengthLabel(now);
  const frame = frameOf({ width: width - aside, height }, from, count, [0, high], label);
  for (const k of shown) {
    const isNow = step !== null && k === now;
    const [before, whole, after] = [claims.squares[k - 1], added(k), claims.squares[k]];
    const look = (kind, name) => ({
      class: `block ${kind}${isNow ? " now" : ""}`,
      "data-part": isNow ? name : "length",
    });
    block(frame, k, [0, Math.min(before, after)], look("ceiling old", "before"));
    block(frame, k, [Math.min(before, after), isNow ? whole : after], look("ceiling", "last"));
    if (!isNow) continue;
    block(frame, k, [after, whole], { class: "block wiped" });
    block(frame, k, [after, whole], look("taken", "middle"));
  }
  addSteps(frame, { from, last, now }, (k) => claims.most[k], "ceiling");
  chartWords(frame.chart, "‖w‖²", 4, 12, { class: "small" });
  const chart = finish(frame, { from, count, pickMistake, last: run.weights.length - 1 });
  if (step === null) return chart;
  chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
  chart.append(updateTriangle(model, { left: width - aside, width: aside, height }));
  return chart;
}

/** Returns η²‖x‖² of the k-th mistake. */
function addedSquare({ run }, k) {
  const x = run.stored[run.rows[lookOfUpdate(run, k)]];
  return run.conventions.eta ** 2 * dot(x, x);
}
