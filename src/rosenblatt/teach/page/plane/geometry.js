// From the plane to the screen: scales, half-planes cut to the square, contours.

import { isWithin, LARGEST } from "../engine/limits.js";

/** Room around the grid, as a share of its extent. */
const MARGIN = 1.07;

/** The square of a view in its own units: from −1 to 1 on both axes. */
const UNIT_SQUARE = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
];

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
  return cutPolygon(UNIT_SQUARE, lineInUnits(line, view)).map((u) => fromUnits(u, view));
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
export function footOf({ w, b }) {
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

/** Returns the segments of the curve score(x, y) = 0 in a view, by marching squares. */
export function contour(score, view, cells) {
  return ringsOf(score, view, cells).flatMap((ring) => {
    const cuts = ring.filter(({ height }) => height === 0).map(({ at }) => at);
    return cuts.length < 2 ? [] : [cuts.slice(0, 2), ...(cuts.length > 2 ? [cuts.slice(2)] : [])];
  });
}

/** Returns the part of a view where score(x, y) > 0 as polygons, one a cell. */
export function positivePart(score, view, cells) {
  return ringsOf(score, view, cells)
    .map((ring) => ring.filter(({ height }) => height >= 0).map(({ at }) => at))
    .filter((corners) => corners.length > 2);
}

/** Returns the corners of each cell, with a point of height 0 where the score changes its sign between two. */
function ringsOf(score, { middle, half }, cells) {
  const at = (i, k) => middle[k] + half[k] * ((2 * i) / cells - 1);
  const heights = Array.from({ length: cells + 1 }, (_, j) =>
    Array.from({ length: cells + 1 }, (_, i) => score(at(i, 0), at(j, 1)) || -Number.MIN_VALUE),
  );
  const cornerAt = (i, j) => ({ at: [at(i, 0), at(j, 1)], height: heights[j][i] });
  const between = (a, c) => {
    if (a.height > 0 === c.height > 0) return [a];
    const share = a.height / (a.height - c.height);
    return [a, { at: a.at.map((value, k) => (1 - share) * value + share * c.at[k]), height: 0 }];
  };
  return Array.from({ length: cells * cells }, (_, cell) => {
    const [i, j] = [cell % cells, Math.floor(cell / cells)];
    const ring = [cornerAt(i, j), cornerAt(i + 1, j), cornerAt(i + 1, j + 1), cornerAt(i, j + 1)];
    return ring.flatMap((corner, k) => between(corner, ring[(k + 1) % 4]));
  });
}
