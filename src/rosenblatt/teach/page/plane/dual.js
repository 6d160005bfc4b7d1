// The dual form on the plane: α beside each point, and w as the sum of its terms, tip to tail.

import { asLine, startVector } from "../engine/conventions.js";
import { alphaAt } from "../engine/dual.js";
import { drawArrow, drawWords } from "./marks.js";

/** How far the sum may reach, as a share of half of the grid. */
const SUM_REACH = 0.95;

/** Of more points, α is a number without its letter. */
const NAMED = 40;

/**
 * Returns what w is the sum of before look t: the start, and η α y x of each row with α > 0.
 * @returns {{label: number, term: number[]}[]} label 0 for the start
 */
export function sumAt(run, t) {
  const { eta, offset } = run.conventions;
  const plain = (stored) => asLine(stored, offset).w;
  const start = { label: 0, term: plain(startVector(run.conventions)) };
  const terms = alphaAt(run, t).map((alpha, row) => {
    const label = run.labels[row];
    return { label, term: plain(run.stored[row]).map((value) => eta * alpha * label * value) };
  });
  return [start, ...terms].filter(({ term }) => term.some((value) => value !== 0));
}

/** Returns the corners of a sum: 0, and the tip of each term. */
function cornersOf(sum) {
  const corners = [[0, 0]];
  for (const { term } of sum) {
    const [x, y] = corners[corners.length - 1];
    corners.push([x + term[0], y + term[1]]);
  }
  return corners;
}

/** Returns by how much arrows of a scale are to be shorter, so that the sum at the end is in the grid. */
export function scaleOfSum(run, { from, to }, scale) {
  const corners = cornersOf(sumAt(run, run.rows.length));
  const reach = (corner) =>
    Math.max(...corner.map((value, k) => (2 * scale * Math.abs(value)) / (to[k] - from[k])));
  const farthest = Math.max(...corners.map(reach));
  return farthest <= SUM_REACH ? 1 : 1 / Math.ceil(farthest / SUM_REACH);
}

/** Returns where a sum begins: at 0, or in the middle of a view without it. */
export function startOfSum({ middle, half }) {
  return middle.every((at, k) => Math.abs(at) < half[k]) ? [0, 0] : middle;
}

/** Draws the terms of w, tip to tail, in the colours of their classes. */
export function drawSum(pen, view, { sum, arrowScale }, colours, unit) {
  const foot = startOfSum(view);
  const corners = cornersOf(sum).map((c) => c.map((value, k) => foot[k] + arrowScale * value));
  sum.forEach(({ label }, i) => {
    const colour = label === 0 ? colours.grey : label > 0 ? colours.positive : colours.negative;
    drawArrow(pen, view, corners[i], corners[i + 1], { colour, width: 2.4 * unit, alpha: 0.85 });
  });
}

/** Writes α beside each point that was a mistake. */
export function drawAlpha(pen, view, { alpha, points }, radius, colours, unit) {
  const name = points.length > NAMED ? "" : "α=";
  const look = { colours, colour: colours.ink, size: Math.round(14 * unit), align: "left" };
  alpha.forEach((value, row) => {
    if (value === 0) return;
    const [x, y] = [view.across(points[row][0]), view.down(points[row][1])];
    drawWords(pen, `${name}${value}`, x + radius * 1.1, y + radius * 1.5, look);
  });
}
