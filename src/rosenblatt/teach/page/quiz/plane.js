// An exercise on the plane: the lines and the points to choose from, and after the answer what it does.

import { asLine } from "../engine/conventions.js";
import { brokenBy } from "../engine/run.js";
import { decimalAsFloat } from "../engine/whole.js";
import { lineEnds, viewOf } from "../plane/geometry.js";
import { drawCross, drawPath, drawRing, drawWords } from "../plane/marks.js";
import { number } from "../state/format.js";
import { strings } from "../strings.js";
import { candidatesNow, openQuestion } from "./quiz.js";

/** The size of the badge of a line, in pixels. */
const BADGE = 12;

/** Where it may stand: near which end of the line, and how many pixels inside. */
const PLACES = [24, 60, 96].flatMap((inside) => [0, 1].map((k) => [k, inside]));

/** How near a pointer must be to a line, in pixels. */
const LINE_REACH = 22;

/** Returns the lines to choose from at the look of a model, each with its letter and where it is. */
export function linesNow(model) {
  const { run, fields } = model;
  const view = viewOf(1, fields.grid);
  return candidatesNow(model).map(({ vector }, k) => {
    const stored = vector.map((value) => decimalAsFloat(value, run.whole.digits));
    const line = asLine(stored, run.conventions.offset);
    const ends = lineEnds(line, view);
    const [from, to] = (ends ?? []).map((end) => `(${end.map(number).join(", ")})`);
    const none = line.w[0] || line.w[1] ? strings.lineBeyond : strings.lineNone;
    return { letter: "ABCD"[k], line, isDrawn: ends !== null, words: ends ? strings.lineFrom(from, to) : none };
  });
}

/** Returns what the plane shows of an exercise; null without one. */
export function quizOf(model) {
  const { run, fields } = model;
  const { result, picked } = fields;
  if (result) return { current: run.rows[result.look], broken: brokenBy(run, result.look), lines: [], rows: [] };
  const question = openQuestion(model);
  if (question === null) return null;
  const lines = question === "line" ? linesNow(model) : [];
  return {
    current: null,
    broken: [],
    lines: lines.map((line, k) => ({ ...line, isPicked: picked.includes(k) })),
    rows: question === "breaks" ? picked : [],
  };
}

/** Draws the lines to choose from, each with its letter at an end. */
export function drawLinesOfQuiz(pen, view, { quiz }, colours, unit) {
  const badges = [];
  for (const { letter, line, isPicked } of quiz.lines) {
    const ends = lineEnds(line, view);
    if (ends === null) continue;
    const [colour, width] = isPicked ? [colours.ink, 3.2] : [colours.grey, 1.8];
    drawPath(pen, view, ends, { stroke: colour, width: width * unit, dash: isPicked ? [] : [7, 5] });
    badges.push({ letter, isPicked, at: badgeAt(view, ends, badges) });
  }
  for (const { letter, isPicked, at } of badges) {
    const [x, y] = at;
    pen.beginPath();
    pen.arc(x, y, BADGE * unit, 0, 2 * Math.PI);
    pen.fillStyle = isPicked ? colours.ink : colours.paper;
    pen.strokeStyle = colours.ink;
    pen.lineWidth = 1.6 * unit;
    pen.setLineDash([]);
    pen.fill();
    pen.stroke();
    const [colour, paper] = isPicked ? [colours.paper, colours.ink] : [colours.ink, colours.paper];
    drawWords(pen, letter, x, y + unit, { colour, colours: { ...colours, paper }, size: 15 * unit });
  }
}

/** Returns where a badge stands, in pixels: near an end of its line, clear of the other badges. */
function badgeAt(view, ends, badges) {
  const pixels = ends.map(([x, y]) => [view.across(x), view.down(y)]);
  const length = Math.hypot(pixels[1][0] - pixels[0][0], pixels[1][1] - pixels[0][1]) || 1;
  const places = PLACES.map(([k, inside]) => {
    const share = Math.min(0.5, inside / length);
    return pixels[k].map((value, j) => value + share * (pixels[1 - k][j] - value));
  });
  const isClear = ([x, y]) => badges.every(({ at }) => Math.hypot(at[0] - x, at[1] - y) > 2.5 * BADGE);
  return places.find(isClear) ?? places[0];
}

/** Draws a cross at each chosen point, and while they flash a ring around those that turned wrong. */
export function drawPointsOfQuiz(pen, view, { quiz, points, flash }, radius, colours, unit) {
  const at = (row) => [view.across(points[row][0]), view.down(points[row][1])];
  for (const row of quiz.rows) {
    drawRing(pen, ...at(row), radius * 1.5, { colour: colours.ink, width: 2.4 * unit, dash: [4, 3] });
    drawCross(pen, ...at(row), radius, { ...colours, wrong: colours.ink });
  }
  if (flash === null) return;
  for (const row of quiz.broken)
    drawRing(pen, ...at(row), radius * (1.3 + 1.6 * flash), {
      colour: colours.wrong,
      width: 3 * unit,
      alpha: 1 - flash,
    });
}

/** Returns the index of the line to choose that is nearest to a point of the screen, or null. */
export function nearestLine(model, view, left, top) {
  let [best, nearest] = [null, LINE_REACH];
  linesNow(model).forEach(({ line }, k) => {
    const ends = lineEnds(line, view)?.map(([x, y]) => [view.across(x), view.down(y)]);
    if (!ends) return;
    const [[dx, ax], [dy, ay]] = [left, top].map((at, j) => [ends[1][j] - ends[0][j], at - ends[0][j]]);
    const distance = Math.abs(dx * ay - dy * ax) / Math.hypot(dx, dy);
    if (distance < nearest) [best, nearest] = [k, distance];
  });
  return best;
}
