// The part of the plane that is shown: a square about 0, or the box that the points fill.

import { asIntegers } from "../engine/decimals.js";

/** The half-width of the square of small whole numbers. */
const USUAL = 8;

/** Points that fill less than this share of a square about 0 on an axis get a box of their own. */
const FILLED = 0.25;

/** Ranges that differ by more than this factor get a scale each. */
const ALIKE = 5;

/** The number of steps of an axis that is wished for. */
const STEPS = 20;

/** Room beyond the points, as a share of their range. */
const ROOM = 0.05;

/** The finest snap is a power of ten that is not above this share of a width: about a pixel. */
const FINEST = 0.002;

/** The smallest width of an axis, as a share of its numbers: they are still told apart. */
const NARROWEST = 1e-6;

/**
 * @typedef {object} Grid two values each: of the x-axis, and of the y-axis
 * @property {number[]} from the first line
 * @property {number[]} to the last line
 * @property {number[]} step from line to line
 * @property {number[]} snap multiples of it are the coordinates of clicked and dragged points
 * @property {number[]} every so many lines there is a number
 */

/** Returns the grid that fits some points. */
export function gridOf(points) {
  const { extent, step } = reachOf(points);
  const ranges = [0, 1].map((k) => rangeOf(points.map((x) => x[k])));
  const filled = ranges.every(([low, high]) => high - low >= 2 * extent * FILLED);
  const single = ranges.every(([low, high]) => low === high);
  if (extent === USUAL) return squareOf(extent, step);
  const grid = filled || single ? squareOf(extent, step) : fittingBox(ranges);
  return { ...grid, snap: [0, 1].map((k) => snapOf(points.map((x) => x[k]), grid, k)) };
}

/** Returns the unit of the last decimal of an axis: at least about a pixel, at most a step. */
function snapOf(values, { from, to, step }, k) {
  const unit = 10 ** -asIntegers(values).digits;
  const finest = 10 ** Math.floor(Math.log10((to[k] - from[k]) * FINEST));
  return short(Math.min(step[k], Math.max(unit, finest)));
}

/** Returns the grid of the square |x|, |y| <= extent. */
export function squareOf(extent, step) {
  const every = extent === USUAL ? 4 : everyOf(step);
  return {
    from: [-extent, -extent],
    to: [extent, extent],
    step: [step, step],
    snap: [step, step],
    every: [every, every],
  };
}

/** Returns the half-width of a square about 0 that has some points, and its step. */
export function reachOf(points) {
  const far = Math.max(0, ...points.flat().map(Math.abs));
  const coarse = points.flat().every((value) => Number.isInteger(2 * value));
  if (far <= USUAL && (coarse || far > 5)) return { extent: USUAL, step: 1 };
  const extent = roundUp(far || 1);
  return { extent, step: short(extent / 10) };
}

/** Returns whether the axes of a grid have one scale, so that angles look right. */
export function isTrue({ from, to }) {
  return Math.abs(1 - (to[0] - from[0]) / (to[1] - from[1])) < 1e-6;
}

function rangeOf(values) {
  return [Math.min(...values), Math.max(...values)];
}

/** Returns the grid of a box: with one scale where the ranges are alike, and with 0 where it is near. */
function fittingBox(ranges) {
  const spans = ranges.map(withRoom);
  const own = spans.map(([low, high]) =>
    Math.max(high - low, NARROWEST * Math.max(Math.abs(low), Math.abs(high))),
  );
  const widest = Math.max(...own);
  const alike = spans.every(([low, high], k) => low === high || own[k] * ALIKE >= widest);
  const axes = spans.map(([low, high], k) => {
    const width = alike ? widest : own[k];
    const step = roundUp(width / STEPS);
    const [first, last] = [low + high - width, low + high + width].map((ends) => ends / 2 / step);
    return { first: Math.floor(first + 1e-6), last: Math.ceil(last - 1e-6), step };
  });
  const lines = axes.map(({ first, last }) => last - first);
  const count = (k) => (alike ? Math.max(...lines) : lines[k]);
  return {
    from: axes.map(({ first, step }) => short(first * step)),
    to: axes.map(({ first, step }, k) => short((first + count(k)) * step)),
    step: axes.map(({ step }) => step),
    every: axes.map(({ step }) => everyOf(step)),
  };
}

/** Returns a range with some room, and with 0 if that is not further away than the range is wide. */
function withRoom([low, high]) {
  const width = high - low;
  const ends = [low > width ? low : Math.min(low, 0), -high > width ? high : Math.max(high, 0)];
  const room = (ends[1] - ends[0]) * ROOM;
  return [ends[0] - room, ends[1] + room];
}

/** Returns 1, 2 or 5 times a power of ten: the smallest that is not below a positive number. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return short([1, 2, 5, 10].map((m) => m * power).find((size) => size >= value * 0.999999));
}

/** Returns after how many steps there is a number: numbers are 5 or 10 steps of 1 or 2, 20 of 5. */
function everyOf(step) {
  return step.toExponential().startsWith("5") ? 4 : 5;
}

function short(value) {
  return Number(value.toPrecision(12));
}
