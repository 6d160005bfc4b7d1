// The proof on the plane: u with its band of γ, the circle of R, and what a mistake adds along u.

import { asLine } from "../engine/conventions.js";
import { dot } from "../engine/run.js";
import { quotient } from "../engine/nearest.js";
import { brokenNow } from "../state/broken.js";
import { drawnIdea } from "../state/model.js";
import { strings } from "../strings.js";
import { lineEnds, shownFoot } from "./geometry.js";
import { drawArrow, drawPath, drawRing, drawWords } from "./marks.js";

/** Where u and γ may stand on the line of u, and how long the arrow of u is: shares of half the grid. */
const [U_AT, GAMMA_AT, U_LENGTH] = [[0, 0.2, -0.2], [0.45, -0.45, 0.65, -0.65, 0.3, -0.3], 0.34];

/** How near a pointer must be to a point, in pixels. */
const POINT_REACH = 14;

/** The size of a name and of one that is lit, and the room of a mark and of a line, in pixels. */
const [NAME_SIZE, LIT_SIZE, MARK_ROOM, LINE_ROOM] = [17, 21, 12, 3];

/** Where on its line a name may not stand, as shares of it. */
const ALONG = [0.1, 0.3, 0.5, 0.7, 0.9];

/** By what angles a name may stand turned around its point. */
const TURNS = [0, 1, -1, 2, -2, 3, -3, 4].map((k) => (k * Math.PI) / 4);

/** The corners of the circle of R. */
const CORNERS = 96;

/**
 * Returns what the plane shows of the proof, or null.
 * @returns {{idea: string, lit: string|null, line: Line|null, gamma: number, radius: number,
 *   far: number, mistake: number|null, support: number[]}|null}
 *   line: where u·x = 0; radius: of the circle ‖x‖ = R in the plane; far: a row on it; mistake: the
 *   row of the look, if it is one; broken: the step of the broken proof; names: where the drawn symbols stand, in pixels
 */
export function proofOf(model) {
  const { run, found, t, fields } = model;
  const idea = drawnIdea(fields);
  if (idea === null || run.labels.length === 0) return null;
  const { offset } = run.conventions;
  const squares = run.stored.map((x) => dot(x, x));
  const far = squares.indexOf(Math.max(...squares));
  return {
    idea,
    lit: fields.lit,
    line: found.u && asLine(found.u, offset),
    gamma: found.gamma,
    radius: Math.hypot(...asLine(run.stored[far], offset).w),
    far,
    mistake: run.wrong[t] ? run.rows[t] : null,
    support: found.support,
    broken: idea === "broken" ? brokenStepOf(model) : null,
    names: [],
  };
}

/** Returns the step of the broken run: the line before it, its point, and the one that it adds; or null. */
function brokenStepOf(model) {
  const { run: broken, t, removed } = brokenNow(model);
  if (t === 0) return null;
  const { conventions, labels } = model.run;
  const asFloats = (cells, below) =>
    asLine(cells.map((cell) => quotient(cell, below)), conventions.offset);
  const [first, step] = [broken.steps[0], broken.steps[t - 1]];
  const point = asFloats(step.x, broken.unit).w;
  const twin = { point: model.fields.points[first.row], label: -labels[first.row] };
  return {
    removed,
    row: step.row,
    line: asFloats(step.before, broken.unit * broken.scale),
    point,
    added: { margin: twin, radius: { point, label: step.label } }[removed] ?? null,
  };
}

/** Draws the idea of the proof that is on the screen. */
export function drawProof(pen, view, scene, colours, unit) {
  const { proof } = scene;
  const tools = { pen, view, scene, proof, colours, unit };
  const hasLine = proof.line && Math.hypot(...proof.line.w) > 0;
  if (proof.idea !== "floor") drawCircle(tools);
  if (proof.idea === "ceiling") drawLength(tools);
  else if (hasLine) drawBandOfU(tools);
  if (proof.idea === "separator") drawSeparator(tools, hasLine);
  if (proof.idea === "floor" && hasLine) drawGain(tools);
  if (proof.broken) drawBroken(tools);
  const row = /^row(\d+)$/.exec(proof.lit ?? "")?.[1];
  if (row !== undefined && scene.points[row]) ringAt(tools, Number(row), colours.ink);
}

/** Returns how thick a part is drawn: thicker while it is pointed at. */
function thick({ proof, unit }, parts, width) {
  return width * unit * (parts.includes(proof.lit) ? 2 : 1);
}

function drawCircle(tools) {
  const { pen, view, proof, colours } = tools;
  const corners = Array.from({ length: CORNERS }, (_, i) => {
    const angle = (2 * Math.PI * i) / CORNERS;
    return [proof.radius * Math.cos(angle), proof.radius * Math.sin(angle)];
  });
  const width = thick(tools, ["radius"], 1.8);
  drawPath(pen, view, corners, { stroke: colours.ceiling, width, closed: true });
}

/** Draws the radius to a point with its name. */
function drawRadius(tools, row, words, part, dash) {
  const { pen, view, scene, colours, unit } = tools;
  const point = scene.points[row];
  const width = thick(tools, [part], 2.2);
  drawPath(pen, view, [[0, 0], point], { stroke: colours.ceiling, width, dash });
  nameBeside(tools, words, [[0, 0], point], colours.ceiling, part);
}

function drawSeparator(tools, hasLine) {
  const { proof, colours } = tools;
  drawRadius(tools, proof.far, "R", "radius", [6, 5]);
  if (!hasLine) return;
  drawU(tools);
  drawGamma(tools);
  for (const row of proof.support) ringAt(tools, row, colours.floor);
}

/** Draws the line u·x = 0 and its band, within which no point lies. */
function drawBandOfU(tools) {
  const { pen, view, proof, colours, unit } = tools;
  const { line, gamma } = proof;
  const sides = [1, -1].map((side) => ({ w: line.w, b: line.b - side * gamma }));
  const [upper, lower] = sides.map((side) => lineEnds(side, view, 2));
  const lit = ["gamma", "least"].includes(proof.lit);
  if (upper && lower) {
    const corners = [...upper, ...lower.reverse()];
    drawPath(pen, view, corners, { fill: colours.floor, alpha: lit ? 0.32 : 0.15 });
  }
  for (const side of sides) {
    const look = { stroke: colours.floor, width: 1.5 * unit, dash: [2, 4] };
    drawPath(pen, view, lineEnds(side, view) ?? [], look);
  }
  const width = thick(tools, ["u"], 2);
  drawPath(pen, view, lineEnds(line, view) ?? [], { stroke: colours.floor, width });
}

/**
 * Returns the unit normal of the line of u, and where on it a vector of a length along the normal
 * stands: of some shares of the grid the one whose tip is farthest from all points.
 */
function placeOnLine({ view, scene, proof }, shares, reach) {
  const length = Math.hypot(...proof.line.w);
  const normal = proof.line.w.map((value) => value / length);
  const foot = shownFoot(proof.line, view);
  const places = shares.map((share) => {
    const along = share * Math.min(...view.half);
    const at = [foot[0] - normal[1] * along, foot[1] + normal[0] * along];
    const tip = at.map((value, k) => value + reach * normal[k]);
    const room = Math.min(...scene.points.map(([x, y]) => Math.hypot(x - tip[0], y - tip[1])));
    return { at, tip, room };
  });
  return places.reduce((best, place) => (place.room > best.room * 1.5 ? place : best));
}

function drawU(tools) {
  const { pen, view, colours } = tools;
  const { at, tip } = placeOnLine(tools, U_AT, U_LENGTH * Math.min(...view.half));
  drawArrow(pen, view, at, tip, { colour: colours.floor, width: thick(tools, ["u"], 3) });
  addName(tools, "u", tip, colours.floor, "u", [14, -10]);
}

/** Draws γ as the distance from the line of u to the edge of its band. */
function drawGamma(tools) {
  const { pen, view, proof, colours } = tools;
  const { at, tip } = placeOnLine(tools, GAMMA_AT, proof.gamma / Math.hypot(...proof.line.w));
  drawPath(pen, view, [at, tip], { stroke: colours.floor, width: thick(tools, ["gamma"], 5) });
  addName(tools, "γ", tip, colours.floor, "gamma", [14, -10]);
}

/** Draws what the mistake adds along u: from the line to its point, the first γ of it thick. */
function drawGain(tools) {
  const { pen, view, scene, proof, colours, unit } = tools;
  drawU(tools);
  if (proof.mistake === null) return;
  const { w, b } = proof.line;
  const x = scene.points[proof.mistake];
  const height = w[0] * x[0] + w[1] * x[1] + b;
  const square = w[0] ** 2 + w[1] ** 2;
  const foot = x.map((value, k) => value - (height / square) * w[k]);
  const share = Math.min(1, proof.gamma / Math.abs(height));
  const edge = foot.map((value, k) => value + share * (x[k] - value));
  const width = thick(tools, ["gain"], 4);
  drawPath(pen, view, [edge, x], { stroke: colours.floor, width, alpha: 0.45 });
  const first = thick(tools, ["gamma", "least", "gain"], 7);
  drawPath(pen, view, [foot, edge], { stroke: colours.floor, width: first });
  ringAt(tools, proof.mistake, colours.ink);
  const words = strings.gainName(scene.labels[proof.mistake]);
  nameBeside(tools, words, [foot, x], colours.floor, "gain");
}

/** Draws the line before a step of the broken run, and its point, from where it stood. */
function drawBroken(tools) {
  const { pen, view, scene, proof, colours, unit } = tools;
  const { removed, row, line, point } = proof.broken;
  drawPath(pen, view, lineEnds(line, view) ?? [], { stroke: colours.ink, width: 3 * unit });
  const look = { colour: colours.wrong, width: 2.6 * unit, dash: [6, 4] };
  if (removed === "radius") drawArrow(pen, view, scene.points[row], point, look);
  const colour = removed === "none" ? colours.ink : colours.wrong;
  drawRing(pen, view.across(point[0]), view.down(point[1]), 18 * unit, { colour, width: 2.6 * unit });
}

/** Draws the length of the example that was a mistake, within R. */
function drawLength(tools) {
  const { proof } = tools;
  if (proof.mistake === null) drawRadius(tools, proof.far, "R", "radius", [6, 5]);
  else drawRadius(tools, proof.mistake, "‖x‖", "last", []);
}

function ringAt({ pen, view, scene, unit }, row, colour) {
  const [x, y] = scene.points[row];
  drawRing(pen, view.across(x), view.down(y), 18 * unit, { colour, width: 2.6 * unit });
}

/** Places the name of a line beside it: above it, where there is room. */
function nameBeside(tools, words, [from, to], colour, part) {
  const { view, unit } = tools;
  const [dx, dy] = [view.across(to[0]) - view.across(from[0]), view.down(to[1]) - view.down(from[1])];
  const length = Math.hypot(dx, dy) || 1;
  const normal = (dx < 0 ? [-dy, dx] : [dy, -dx]).map((value) => value / length);
  const [wide, tall] = [NAME_SIZE * 0.3 * words.length, NAME_SIZE * 0.5];
  const aside = (Math.abs(normal[0]) * wide + Math.abs(normal[1]) * tall + 7) * unit;
  const line = ALONG.map((share) => from.map((value, k) => value + share * (to[k] - value)));
  const above = normal.map((value) => value * aside);
  addName(tools, words, line[ALONG.length >> 1], colour, part, above, line);
}

/**
 * Places the name of a part beside a point of the plane: within the view, and clear of the marks of
 * the points, of other names, and of the points of its line.
 */
function addName(tools, words, point, colour, part, [right, down], line = []) {
  const { view, scene, proof, colours, unit } = tools;
  const size = Math.round((part === proof.lit ? LIT_SIZE : NAME_SIZE) * unit);
  const [room, tall] = [NAME_SIZE * unit * (0.4 + words.length * 0.3), NAME_SIZE * unit * 0.6];
  const within = (value, edge) => Math.min(Math.max(value, edge), view.size - edge);
  const places = [1, 1.7, 2.4].flatMap((far) =>
    TURNS.map((angle) => {
      const [cosine, sine] = [far * Math.cos(angle), far * Math.sin(angle)];
      return {
        x: within(view.across(point[0]) + cosine * right - sine * down, room),
        y: within(view.down(point[1]) + sine * right + cosine * down, tall),
      };
    }),
  );
  const marksOf = (points, reach) =>
    points.map(([x, y]) => ({ x: view.across(x), y: view.down(y), reach: reach * unit }));
  const marks = [...marksOf(scene.points, MARK_ROOM), ...marksOf(line, LINE_ROOM), ...proof.names];
  const clearOf = ({ x, y }) =>
    Math.min(
      ...marks.map((mark) => Math.max(Math.abs(x - mark.x) - room, Math.abs(y - mark.y) - tall) - mark.reach),
    );
  const best = places.reduce((best, place) => (clearOf(place) > clearOf(best) ? place : best));
  const { x, y } = places.find((place) => clearOf(place) > 0) ?? best;
  proof.names.push({ part, words, x, y, reach: room, look: { colours, colour, size } });
}

/** Writes the names of the parts: above all else. */
export function drawNames(pen, { names }) {
  for (const { words, x, y, look } of names) drawWords(pen, words, x, y, look);
}

/** Returns the part of the proof at some pixels: a name, or in the first idea a point; else null. */
export function partAt({ proof, points }, view, left, top) {
  const name = proof.names.find(({ x, y, reach }) => Math.hypot(x - left, y - top) < reach + 4);
  if (name) return name.part;
  if (proof.idea !== "separator") return null;
  const isHere = ([x, y]) => Math.hypot(view.across(x) - left, view.down(y) - top) < POINT_REACH;
  const row = points.findIndex(isHere);
  return row === -1 ? null : `row${row}`;
}
