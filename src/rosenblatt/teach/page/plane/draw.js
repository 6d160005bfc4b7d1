// The plane, drawn from a scene with a canvas context or with a pen for SVG.

import { followCurve, lineEnds, shownFoot, viewOf } from "./geometry.js";
import { besideNumbers, drawAxisNames, drawGrid, hasAxis, SMALLEST_WORDS } from "./axes.js";
import { drawArrow, drawCross, drawMark, drawPath, drawRing, drawWords } from "./marks.js";
import { drawAlpha, drawSum, startOfSum } from "./dual.js";
import { drawLinesOfQuiz, drawPointsOfQuiz } from "../quiz/plane.js";
import { drawNames, drawProof } from "./proof.js";
import { drawShades } from "./shades.js";

/** The size of a mark that covers one of the other class, which stays visible around it. */
const COVERING = 0.6;

/** The cells across the view in which a curve is followed. */
const CELLS = 72;

/** Where the words "no line" stand, as a share of the height. */
const NOTE_DOWN = 0.89;

/** Draws a scene on a square of some pixels. */
export function drawPlane(pen, size, scene, colours, strings) {
  const view = viewOf(size, scene.grid);
  const unit = Math.max(0.7, Math.min(1.6, size / 560)) * colours.thick;
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, size, size);
  const isOfProof = scene.proof && scene.proof.idea !== "ceiling"; // u, not the line of the run
  const curve = scene.curve && followCurve(scene.curve, view, CELLS);
  if (!isOfProof) drawShades(pen, view, scene, curve, colours);
  drawGrid(pen, view, scene.grid, colours, unit);
  if (scene.band) drawBand(pen, view, scene.band, colours, unit);
  if (!isOfProof) drawLines(pen, view, scene, curve, colours, unit);
  if (scene.quiz) drawLinesOfQuiz(pen, view, scene, colours, unit);
  if (scene.proof) drawProof(pen, view, scene, colours, unit);
  if (scene.certificate) drawCertificate(pen, view, scene, colours, unit);
  if (!isOfProof) drawVectors(pen, view, scene, colours, unit);
  drawPoints(pen, view, isOfProof ? pointsOfProof(scene) : scene, colours, unit);
  if (scene.proof) drawNames(pen, scene.proof);
  drawAxisNames(pen, view, scene, colours, unit);
  if (!isOfProof) drawNotes(pen, view, scene, colours, unit, strings);
}

/** Returns a scene without the marks of the run's look, and with the point that a broken proof adds. */
function pointsOfProof(scene) {
  const added = scene.proof.broken?.added ?? null;
  const [points, labels] = added ? [[added.point], [added.label]] : [[], []];
  const all = { points: [...scene.points, ...points], labels: [...scene.labels, ...labels] };
  return { ...scene, ...all, current: null, broken: [] };
}

function drawBand(pen, view, band, colours, unit) {
  const { w, b, margin } = band;
  const length = Math.hypot(...w);
  const sides = [1, -1].map((side) => ({ w, b: b + side * margin * length }));
  const ends = sides.map((line) => lineEnds(line, view, 2));
  if (ends[0] && ends[1]) {
    const corners = [...ends[0], ...ends[1].slice().reverse()];
    drawPath(pen, view, corners, { fill: colours.floor, alpha: 0.16 });
  }
  for (const line of sides) {
    const shown = lineEnds(line, view);
    if (shown)
      drawPath(pen, view, shown, { stroke: colours.floor, width: 1.5 * unit, dash: [2, 4] });
  }
}

function drawLines(pen, view, scene, curve, colours, unit) {
  const { trail, next, line, extra } = scene;
  trail.forEach((old, i) => {
    const alpha = 0.12 + (0.3 * (i + 1)) / trail.length;
    drawLine(pen, view, old, { stroke: colours.grey, width: 1.2 * unit, alpha });
  });
  if (next) drawLine(pen, view, next, { stroke: colours.ink, width: 2 * unit, dash: [7, 5], alpha: 0.7 });
  const faint = curve || extra.length > 0;
  drawLine(pen, view, line, {
    stroke: colours.ink,
    width: (faint ? 1.5 : 3) * unit,
    alpha: faint ? 0.55 : 1,
  });
  for (const segment of curve?.segments ?? [])
    drawPath(pen, view, segment, { stroke: colours.ink, width: 3 * unit });
  const looks = {
    average: { stroke: colours.floor, width: 3.2 * unit },
    last: { stroke: colours.ink, width: 2.4 * unit, dash: [8, 6] },
    pocket: { stroke: colours.ceiling, width: 3.2 * unit },
  };
  for (const { line: other, kind } of extra) drawLine(pen, view, other, looks[kind]);
}

function drawLine(pen, view, line, look) {
  const ends = lineEnds(line, view);
  if (ends) drawPath(pen, view, ends, look);
}

/** Draws w from the foot of its line, and of an update y x from the tip of the old w, and the other w. */
function drawVectors(pen, view, scene, colours, unit) {
  const { line, update, arrowScale } = scene;
  if (scene.curve || scene.voters) return;
  if (scene.sum) drawSum(pen, view, scene, colours, unit);
  const foot = scene.sum ? startOfSum(view) : shownFoot(line, view);
  const tip = (w) => [foot[0] + arrowScale * w[0], foot[1] + arrowScale * w[1]];
  if (update && !scene.certificate) {
    const step = [update.to.w[0] - update.from.w[0], update.to.w[1] - update.from.w[1]];
    const [x, y] = scene.points[update.row];
    const away = 1 - update.progress;
    const joint = tip(update.from.w);
    const start = [joint[0] + away * (x - joint[0]), joint[1] + away * (y - joint[1])];
    const end = [start[0] + arrowScale * step[0], start[1] + arrowScale * step[1]];
    const colour = update.label > 0 ? colours.positive : colours.negative;
    const other = scene.next ? update.to : update.from;
    drawArrow(pen, view, foot, tip(other.w), { colour: colours.grey, width: 2 * unit, alpha: 0.8 });
    drawArrow(pen, view, start, end, { colour, width: 2.6 * unit, dash: [6, 4] });
  }
  drawArrow(pen, view, foot, tip(line.w), { colour: colours.ink, width: 3 * unit });
}

function drawCertificate(pen, view, scene, colours, unit) {
  const { rows } = scene.certificate;
  const look = { stroke: colours.wrong, width: 3 * unit, fill: colours.wrong };
  for (const sign of [1, -1]) {
    const corners = rows
      .filter((row) => scene.labels[row] === sign)
      .map((row) => scene.points[row]);
    if (corners.length === 3) drawPath(pen, view, corners, { fill: look.fill, alpha: 0.14 });
    if (corners.length > 1)
      drawPath(pen, view, corners, { stroke: look.stroke, width: look.width, closed: true });
  }
  if (scene.certificate.kind === "cone" || scene.certificate.origin) {
    for (const row of rows)
      drawPath(pen, view, [[0, 0], scene.points[row]], { stroke: look.stroke, width: look.width });
  }
}

function drawPoints(pen, view, scene, colours, unit) {
  const { points, labels, current, broken, selected, certificate, band } = scene;
  const radius = (points.length > 40 ? 8 : 11) * unit;
  const drawn = points.map((point, row) => ({
    row,
    x: view.across(point[0]),
    y: view.down(point[1]),
  }));
  const proof = certificate?.rows ?? [];
  const below = new Map();
  for (const { row, x, y } of drawn) {
    pen.globalAlpha = certificate && !proof.includes(row) ? 0.3 : 1;
    const covers = (below.get(`${points[row]}`) ?? labels[row]) !== labels[row];
    drawMark(pen, x, y, labels[row], covers ? radius * COVERING : radius, colours);
    below.set(`${points[row]}`, labels[row]);
  }
  pen.globalAlpha = 1;
  for (const { row, x, y } of drawn) {
    if (proof.includes(row))
      drawRing(pen, x, y, radius * 1.5, { colour: colours.wrong, width: 3 * unit });
    else if (row === current && !certificate) {
      drawRing(pen, x, y, radius * 1.55, { colour: colours.ink, width: 2.6 * unit });
      const pulse = scene.pulse ?? 0;
      if (pulse > 0)
        drawRing(pen, x, y, radius * (1.55 + 1.3 * pulse), {
          colour: colours.ink,
          width: 2 * unit,
          alpha: 1 - pulse,
        });
    }
    if (row === selected)
      drawRing(pen, x, y, radius * 1.9, { colour: colours.grey, width: 1.6 * unit, dash: [3, 3] });
    if (band?.support.includes(row))
      drawRing(pen, x, y, radius * 1.4, { colour: colours.floor, width: 2.4 * unit });
    if (broken.includes(row) && !certificate) drawCross(pen, x, y, radius, colours);
  }
  if (scene.quiz) drawPointsOfQuiz(pen, view, scene, radius, colours, unit);
  if (scene.alpha && !certificate) drawAlpha(pen, view, scene, radius, colours, unit);
}

function drawNotes(pen, view, scene, colours, unit, strings) {
  const { line, arrowScale, points } = scene;
  const look = { colours, size: Math.max(12, Math.round(15 * unit)), colour: colours.ink };
  if (points.length === 0)
    drawWords(pen, strings.noPointsYet, view.size / 2, view.size * 0.4, look);
  else if (line.w[0] === 0 && line.w[1] === 0 && !scene.curve && !scene.voters) {
    const words = scene.began ? strings.noLineNow : strings.noLineYet;
    const down = besideNumbers(view, scene.grid, view.size * NOTE_DOWN, look.size);
    drawWords(pen, words, view.size / 2, down, look);
  } else if (arrowScale < 1 && !scene.curve && !scene.voters) {
    const words = strings.arrowScale(Math.round(1 / arrowScale));
    const down = hasAxis(view, 1) ? view.size - 12 : 12; // the numbers of x are below
    drawWords(pen, words, view.size - 8, down, {
      ...look,
      size: Math.max(SMALLEST_WORDS, Math.round(12 * unit)),
      align: "right",
      weight: 400,
      colour: colours.grey,
    });
  }
}
