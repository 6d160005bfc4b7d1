// From the plane to the screen: scales, half-planes cut to the square, contours.

/** Room around the grid, as a share of its extent. */
const MARGIN = 1.07;

/** Returns the half-width of the grid and its step: 8 and 1, or what larger or finer points need. */
export function gridOf(points) {
  const far = Math.max(0, ...points.flat().map(Math.abs));
  const coarse = points.flat().every((value) => Number.isInteger(2 * value));
  if (far <= 8 && (coarse || far > 5)) return { extent: 8, step: 1 };
  const power = 10 ** Math.floor(Math.log10(far || 1));
  const extent = [1, 2, 5, 10].map((m) => m * power).find((value) => value >= far * 0.999999);
  return { extent, step: extent / 10 };
}

/** Returns the scales of a square of some pixels that shows a grid. */
export function viewOf(size, { extent, step }) {
  const pixels = size / (2 * extent * MARGIN);
  return {
    size,
    extent,
    step,
    pixels,
    edge: extent * MARGIN,
    across: (x) => size / 2 + x * pixels,
    down: (y) => size / 2 - y * pixels,
    pointAt: (left, top) => [(left - size / 2) / pixels, (size / 2 - top) / pixels],
    snap: (value) => {
      const snapped = Math.round(Math.min(Math.max(value, -extent), extent) / step) * step;
      return Number(snapped.toPrecision(12)) + 0;
    },
  };
}

/** Returns the polygon of w·x + b > 0 in the square |x|, |y| <= edge. */
export function halfPlane({ w, b }, edge) {
  return cutPolygon(
    [
      [-edge, -edge],
      [edge, -edge],
      [edge, edge],
      [-edge, edge],
    ],
    { w, b },
  );
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

/** Returns the two ends of the line w·x + b = 0 in the square, or null. */
export function lineEnds({ w, b }, edge) {
  const length = Math.hypot(w[0], w[1]);
  if (length === 0) return null;
  const foot = footOf({ w, b });
  const along = [-w[1] / length, w[0] / length];
  let [from, to] = [-Infinity, Infinity];
  for (const k of [0, 1]) {
    if (Math.abs(along[k]) < 1e-12) {
      if (Math.abs(foot[k]) > edge) return null;
      continue;
    }
    const hits = [(-edge - foot[k]) / along[k], (edge - foot[k]) / along[k]].sort((a, c) => a - c);
    [from, to] = [Math.max(from, hits[0]), Math.min(to, hits[1])];
  }
  if (from >= to) return null;
  return [from, to].map((s) => [foot[0] + s * along[0], foot[1] + s * along[1]]);
}

/** Returns the point of the line that is nearest to the origin. */
export function footOf({ w, b }) {
  const square = w[0] ** 2 + w[1] ** 2;
  return square === 0 ? [0, 0] : [(-b * w[0]) / square + 0, (-b * w[1]) / square + 0];
}

/** Returns the segments of the curve score(x, y) = 0 in the square, by marching squares. */
export function contour(score, edge, cells) {
  const side = (2 * edge) / cells;
  const at = (i) => -edge + i * side;
  const heights = Array.from({ length: cells + 1 }, (_, j) =>
    Array.from({ length: cells + 1 }, (_, i) => score(at(i), at(j))),
  );
  const segments = [];
  for (let j = 0; j < cells; j++) {
    for (let i = 0; i < cells; i++) {
      const corners = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ];
      const cuts = corners.flatMap(([a, c], k) => {
        const [d, e] = corners[(k + 1) % 4];
        const [low, high] = [heights[c][a], heights[e][d]];
        if (low > 0 === high > 0) return [];
        const share = low / (low - high);
        return [[at(a) + share * (at(d) - at(a)), at(c) + share * (at(e) - at(c))]];
      });
      for (let k = 0; k + 1 < cuts.length; k += 2) segments.push([cuts[k], cuts[k + 1]]);
    }
  }
  return segments;
}
