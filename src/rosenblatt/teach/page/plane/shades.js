// The shades of the plane: the two sides of a line or a curve, and the share of the votes.

import { cutPolygon, halfPlane, lineEnds } from "./geometry.js";
import { drawRegion } from "./marks.js";
import { voteAt } from "../engine/beyond.js";
import { sgn } from "../engine/run.js";

/** So many lines, those with the most votes, cut the plane: the others vote at the middle of a piece. */
const CUTS = 48;

/** Draws the shades of a scene with its curve, if it has one. */
export function drawShades(pen, view, { line, voters, tie }, curve, colours) {
  const shade = (polygons, isPositive, alpha) =>
    drawRegion(pen, view, polygons, {
      fill: isPositive ? colours.positive : colours.negative,
      alpha,
    });
  if (voters) {
    for (const [share, polygons] of piecesNow(voters, tie, view))
      shade(polygons, share > 0, 0.34 * Math.abs(share));
  } else if (curve) {
    shade(curve.positive, true, 0.14);
    shade(curve.negative, false, 0.14);
  } else if (lineEnds(line, view) || line.b !== 0) {
    shade([halfPlane(line, view)], true, 0.1);
    shade([halfPlane(oppositeOf(line), view)], false, 0.1);
  }
}

/** The pieces that were drawn last: while an update moves, they stay. */
let kept = {};

function piecesNow(voters, tie, view) {
  const key = JSON.stringify([tie, view.middle, view.half]);
  if (kept.voters !== voters || kept.key !== key)
    kept = { voters, key, pieces: votedPieces(voters, tie, view) };
  return kept.pieces;
}

function oppositeOf({ w, b }) {
  return { w: w.map((value) => -value), b: -b };
}

/**
 * Returns the pieces into which the lines of the voters cut a view, by their share of the votes.
 * @returns {Map<number, number[][][]>} polygons by the votes for +1 less those for −1, of all
 */
export function votedPieces(voters, tie, { middle, half }) {
  const at = (right, up) => [middle[0] + right * half[0], middle[1] + up * half[1]];
  const sorted = [...voters].sort((a, b) => b.count - a.count);
  let pieces = [{ corners: [at(-1, -1), at(1, -1), at(1, 1), at(-1, 1)], votes: 0 }];
  for (const voter of sorted.slice(0, CUTS)) pieces = pieces.flatMap((piece) => cut(piece, voter, tie));
  const others = sorted.slice(CUTS);
  const total = voters.reduce((sum, { count }) => sum + count, 0);
  const byShare = new Map();
  for (const { corners, votes } of pieces) {
    const share = (votes + voteAt(others, middleOf(corners), tie)) / (total || 1);
    if (!byShare.has(share)) byShare.set(share, []);
    byShare.get(share).push(corners);
  }
  return byShare;
}

/** Returns the parts of a piece on the two sides of a voter's line, with its votes; or the piece. */
function cut({ corners, votes }, { w, b, count }, tie) {
  let [low, high] = [Infinity, -Infinity];
  for (const [x, y] of corners) {
    const height = w[0] * x + w[1] * y + b;
    if (height < low) low = height;
    if (height > high) high = height;
  }
  if (low >= -1e-9 * high || high <= -1e-9 * low)
    return { corners, votes: votes + count * sgn(low + high, tie) };
  return [
    { corners: cutPolygon(corners, { w, b }), votes: votes + count },
    { corners: cutPolygon(corners, oppositeOf({ w, b })), votes: votes - count },
  ];
}

function middleOf(corners) {
  return [0, 1].map((k) => corners.reduce((sum, corner) => sum + corner[k], 0) / corners.length);
}
