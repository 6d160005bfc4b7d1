// From the plane to the screen: scales, half-planes cut to the square, contours.

import { isWithin, LARGEST } from "../engine/limits.js";

/** Room around the grid, as a share of its extent. */
const MARGIN = 1.07;

/** Returns the corners of the square |x|, |y| <= half. */
export function squareAround0(half) {
  return [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
  ];
}

/** Returns the scales of a square of some pixels that shows a grid. */
export function viewOf(size, { from, to, snap }) {
  const middle = from.map((low, k) => (low + to[k]) / 2);
  const half = from.map((low, k) => ((to[k] - low) / 2) * MARGIN);
  return {
    size,
    middle,
    half,
    across: (x) => (size / 2) * (1 + (x - middle[0]) / half[0]),
    down: (y) => (size / 2) * (1 - (y - middle[1]) / half[1]),
    pointAt: (left, top) => fromUnits([(2 * left) / size - 1, 1 - (2 * top) / size], { middle, half }),
    snap: (point) => point.map((value, k) => snapped(value, from[k], to[k], snap[k])),
  };
}

/** Returns the nearest multiple of a step in a range; 0 for what is too small to be a coordinate. */
function snapped(value, from, to, step) {
  const inside = Math.min(Math.max(value, from, -LARGEST), to, LARGEST);
  const near = Number((Math.round(inside / step) * step).toPrecision(12)) + 0;
  return isWithin(near) ? near : 0;
}

/** Returns the point of the plane at a point of a view's units. */
function fromUnits(u, { middle, half }) {
  return u.map((value, k) => middle[k] + value * half[k]);
}

/** Returns a line in the units of a view. */
function lineInUnits({ w, b }, { middle, half }) {
  return { w: w.map((value, k) => value * half[k]), b: b + w[0] * middle[0] + w[1] * middle[1] };
}

/** Returns the polygon of w·x + b > 0 in a view. */
export function halfPlane(line, view) {
  return cutPolygon(squareAround0(1), lineInUnits(line, view)).map((u) => fromUnits(u, view));
}

/** Returns the part of a convex polygon where w·x + b > 0. */
export function cutPolygon(corners, { w, b }) {
  const height = ([x, y]) => w[0] * x + w[1] * y + b;
  return corners.flatMap((from, i) => {
    const to = corners[(i + 1) % corners.length];
    const [low, high] = [height(from), height(to)];
    const kept = low >= 0 ? [from] : [];
    if (low >= 0 === high >= 0) return kept;
    const share = low / (low - high);
    return [...kept, [from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])]];
  });
}

/** Returns the two ends of the line w·x + b = 0 in a view, or in a square `reach` times as wide, or null. */
export function lineEnds(line, view, reach = 1) {
  const { w, b } = lineInUnits(line, view);
  const length = Math.hypot(...w);
  if (length === 0) return null;
  const foot = footOf({ w, b });
  const along = [-w[1] / length, w[0] / length];
  let [from, to] = [-Infinity, Infinity];
  for (const k of [0, 1]) {
    if (Math.abs(along[k]) < 1e-12) {
      if (Math.abs(foot[k]) > reach) return null;
      continue;
    }
    const hits = [-reach, reach].map((edge) => (edge - foot[k]) / along[k]).sort((a, c) => a - c);
    [from, to] = [Math.max(from, hits[0]), Math.min(to, hits[1])];
  }
  if (from >= to) return null;
  return [from, to].map((s) => fromUnits([foot[0] + s * along[0], foot[1] + s * along[1]], view));
}

/** Returns the point of the line that is nearest to the origin. */
function footOf({ w, b }) {
  const square = w[0] ** 2 + w[1] ** 2;
  return square === 0 ? [0, 0] : [(-b * w[0]) / square + 0, (-b * w[1]) / square + 0];
}

/** Returns where a vector at a line stands: the foot of the line, or a point of it in the view. */
export function shownFoot(line, view) {
  const isInside = (u) => u.every((value) => Math.abs(value) * MARGIN <= 1);
  const foot = footOf(line);
  if (isInside(foot.map((value, k) => (value - view.middle[k]) / view.half[k]))) return foot;
  const nearest = footOf(lineInUnits(line, view));
  return isInside(nearest) ? fromUnits(nearest, view) : view.middle;
}

/**
 * Follows the curve score(x, y) = 0 in a view, by marching squares.
 * @returns {{segments: number[][][], positive: number[][][], negative: number[][][]}} the pieces of
 *   the curve, and the polygons that the view has on its two sides
 */
export function followCurve(score, { middle, half }, cells) {
  const at = (i, k) => middle[k] + half[k] * ((2 * i) / cells - 1);
  const heights = Array.from({ length: cells + 1 }, (_, j) =>
    Array.from({ length: cells + 1 }, (_, i) => score(at(i, 0), at(j, 1)) || -Number.MIN_VALUE),
  );
  const found = { segments: [], positive: [], negative: [] };
  for (let j = 0; j < cells; j++) {
    const isAbove = (i) => [heights[j][i] > 0, heights[j + 1][i] > 0];
    const sideOf = (i) => {
      const corners = [...isAbove(i), ...isAbove(i + 1)];
      if (!corners.includes(false)) return "positive";
      return corners.includes(true) ? null : "negative";
    };
    const cornerAt = (i, j) => ({ at: [at(i, 0), at(j, 1)], height: heights[j][i] });
    for (let [i, end] = [0, 1]; i < cells; i = end++) {
      const side = sideOf(i);
      while (side !== null && end < cells && sideOf(end) === side) end++; // a row of cells is one polygon
      const ring = [cornerAt(i, j), cornerAt(end, j), cornerAt(end, j + 1), cornerAt(i, j + 1)];
      if (side === null) cutCell(ring, found);
      else found[side].push(ring.map((corner) => corner.at));
    }
  }
  return found;
}

/** Adds what a curve cuts of a cell: its piece, and the polygons on its two sides. */
function cutCell(corners, found) {
  const ring = corners.flatMap((corner, k) => withCut(corner, corners[(k + 1) % corners.length]));
  const partOf = (isIn) => ring.filter(({ height }) => isIn(height)).map(({ at }) => at);
  const cuts = partOf((height) => height === 0);
  for (let k = 0; k < cuts.length; k += 2) found.segments.push(cuts.slice(k, k + 2));
  found.positive.push(partOf((height) => height >= 0));
  found.negative.push(partOf((height) => height <= 0));
}

/** Returns a corner, and the point of height 0 between it and the next one, if their signs differ. */
function withCut(corner, next) {
  if (corner.height > 0 === next.height > 0) return [corner];
  const share = corner.height / (corner.height - next.height);
  return [corner, { at: corner.at.map((value, k) => (1 - share) * value + share * next.at[k]), height: 0 }];
}
