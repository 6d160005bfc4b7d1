// The grid of the plane, the numbers at its axes and their names.

import { power } from "../state/format.js";
import { drawPath, drawWords } from "./marks.js";

/** The size of the smallest words, in pixels. */
export const SMALLEST_WORDS = 11;

/** The width of a letter as a share of its size. */
const LETTER_WIDTH = 0.6;

/** The height of a line of words as a share of their size. */
const LINE = 1.4;

/** The most letters of a name at an axis. */
const LONGEST_NAME = 24;

/** Room between numbers, names and the edges, in pixels. */
const SPACE = 4;

/** Returns whether the line where a coordinate is 0 is in a view. */
export function hasAxis({ middle, half }, k) {
  return Math.abs(middle[k]) < half[k];
}

/** Draws the lines of a grid, and numbers at the axes, or at the edges where 0 is not in the view. */
export function drawGrid(pen, view, grid, colours, unit) {
  const lines = [0, 1].map((k) => gridLines(grid, k));
  const [low, high] = [-1, 1].map((side) => view.middle.map((at, k) => at + side * view.half[k]));
  const drawAt = (k, at, look) => {
    const [from, to] = [low.slice(), high.slice()];
    from[k] = to[k] = at;
    drawPath(pen, view, [from, to], look);
  };
  for (const k of [0, 1])
    for (const { value } of lines[k]) drawAt(k, value, { stroke: colours.grid, width: 1 });
  for (const k of [0, 1])
    if (hasAxis(view, k)) drawAt(k, 0, { stroke: colours.grey, width: 1.2 });
  const size = wordSize(unit);
  pen.fillStyle = colours.grey;
  pen.font = `${size}px ${colours.font}`;
  const isShown = ({ value, named }, k) => named && (value !== 0 || !hasAxis(view, 1 - k));
  const down = downOfNumbers(view, size);
  pen.textBaseline = "top";
  for (const line of lines[0].filter((line) => isShown(line, 0))) {
    const words = numberWords(line.value);
    const [at, room] = [view.across(line.value), (LETTER_WIDTH * size * words.length) / 2];
    pen.textAlign = at - room < 0 ? "left" : at + room > view.size ? "right" : "center";
    pen.fillText(words, Math.min(Math.max(at, pen.textAlign === "left" ? 3 : 0), view.size - 3), down);
  }
  pen.textBaseline = "middle";
  const [left, room] = [leftOfAxis(view), LETTER_WIDTH * size * widestNumber(grid)];
  pen.textAlign = left > room ? "right" : "left";
  const across = left > room ? left : left + 2 * SPACE;
  for (const line of lines[1].filter((line) => isShown(line, 1)))
    pen.fillText(numberWords(line.value), across, view.down(line.value));
}

/** Writes the names of the axes at their ends. */
export function drawAxisNames(pen, view, { axes, grid }, colours, unit) {
  const size = wordSize(unit) + 1;
  const [across, upward] = axes.map((name) =>
    name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name,
  );
  const look = { colours, size, colour: colours.grey };
  if (across !== "") {
    const down = downOfNumbers(view, size) - SPACE - size;
    drawWords(pen, across, view.size - 2 * SPACE, down, { ...look, align: "right" });
  }
  if (upward !== "") {
    const [left, room] = [leftOfAxis(view), LETTER_WIDTH * size * widestNumber(grid)];
    const across = left + 3 * SPACE + (left > room ? 0 : room);
    drawWords(pen, upward, across, size, { ...look, align: "left" });
  }
}

/** Returns the lines of an axis, and which of them have a number. */
function gridLines({ from, to, step, every }, k) {
  const first = Math.round(from[k] / step[k]);
  const count = Math.round((to[k] - from[k]) / step[k]) + 1;
  return Array.from({ length: count }, (_, i) => ({
    value: Number(((first + i) * step[k]).toPrecision(12)) + 0,
    named: (first + i) % every[k] === 0,
  }));
}

function wordSize(unit) {
  return Math.max(SMALLEST_WORDS, Math.round(11 * unit));
}

/** Returns where the numbers of the x-axis begin: below the axis, or at the lower edge. */
function downOfNumbers(view, size) {
  return hasAxis(view, 1) ? Math.min(view.down(0) + SPACE, view.size - size) : view.size - size - 1;
}

/** Returns where the numbers of the y-axis end: left of the axis, or at the left edge. */
function leftOfAxis(view) {
  return hasAxis(view, 0) ? view.across(0) - SPACE - 1 : -SPACE;
}

/** Returns a height for words of some size: the one asked for, or below the number of the y-axis there. */
export function besideNumbers(view, grid, down, size) {
  const numbers = gridLines(grid, 1).filter(({ named }) => named);
  const met = numbers.map(({ value }) => view.down(value)).find((at) => Math.abs(at - down) < size * LINE);
  return met === undefined ? down : met + size * LINE;
}

/** Returns the number of letters of the longest number of the y-axis. */
function widestNumber(grid) {
  const shown = gridLines(grid, 1).filter(({ named }) => named);
  return Math.max(0, ...shown.map(({ value }) => numberWords(value).length));
}

/** Returns a number of an axis as words. */
export function numberWords(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return power(value);
  return String(value).replace("-", "−");
}
