// The tab Weights: the plane of w, where each example is a half-plane and the run is a path.

import { asLine } from "../engine/conventions.js";
import { lineAt, mistakesBefore } from "../engine/run.js";
import { number, subscript } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { squareOf } from "../state/grid.js";
import { canvasContext, sizeOf, theme } from "../state/look.js";
import { hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";
import { cutPolygon, squareAround0, viewOf } from "../plane/geometry.js";
import { drawArrow, drawPath, drawWords } from "../plane/marks.js";

/** Builds the tab into a panel. */
export function buildWeights(model, panel) {
  const canvas = el("canvas", { role: "img", "aria-label": strings.weightsLabel });
  const note = el("p", { className: "note" });
  panel.append(el("div", { className: "square" }, canvas), note);
  return () => {
    const { run, t } = model;
    const { b } = lineAt(run, t);
    const withOffset = run.conventions.offset !== "none";
    const says = [withOffset ? strings.weightsSlice(number(b)) : strings.weightsOrigin];
    const closes = run.cycle && !hidesVerdict(model.fields);
    if (closes) says.push(strings.weightsClosed(cyclePath(run).length - 1));
    else if (withOffset) says.push(strings.weightsPath);
    note.textContent = says.join(" ");
    if (sizeOf(canvas).width > 40) draw(model, canvas, b);
  };
}

/** Returns the weights of one period of a cycle, its first again at the end. */
function cyclePath({ weights, used, cycle }) {
  const from = cycle.first < used.length ? used[cycle.first] : 0;
  return weights.slice(from);
}

function draw(model, canvas, b) {
  const { run, found, t, fields } = model;
  const { context: pen, width } = canvasContext(canvas);
  const colours = theme();
  const path = run.weights.map((w) => asLine(w, run.conventions.offset).w);
  const far = Math.max(4, ...path.flat().map(Math.abs)) * 1.1;
  const view = viewOf(width, squareOf(far, far));
  pen.fillStyle = colours.paper;
  pen.fillRect(0, 0, width, width);
  const withOffset = run.conventions.offset !== "none";
  const solutions = drawHalfPlanes(pen, view, fields, b, colours);
  if (!hidesVerdict(fields) && fields.points.length > 0)
    drawSolutions(pen, view, found.separable ? solutions : [], withOffset, colours);
  const axis = { stroke: colours.grid, width: 1 };
  const edge = view.half[0];
  for (const end of [[edge, 0], [0, edge]]) drawPath(pen, view, [end.map((value) => -value), end], axis);
  const k = mistakesBefore(run, t);
  if (run.cycle && !hidesVerdict(fields)) {
    const closed = cyclePath(run).map((w) => asLine(w, run.conventions.offset).w);
    drawPath(pen, view, closed, { stroke: colours.wrong, width: 2, closed: true, alpha: 0.75 });
  }
  drawPath(pen, view, path.slice(0, 2000), { stroke: colours.grey, width: 1.2, alpha: 0.6 });
  for (let j = Math.max(1, k - 12); j <= k; j++) {
    drawArrow(pen, view, path[j - 1], path[j], {
      colour: colours.ink,
      width: 1.8,
      alpha: 0.35 + (0.65 * (13 - (k - j))) / 13,
    });
  }
  pen.beginPath();
  pen.arc(view.across(path[k][0]), view.down(path[k][1]), 5.5, 0, 2 * Math.PI);
  pen.fillStyle = colours.ink;
  pen.fill();
  const look = { colours, colour: colours.ink, size: 14 };
  drawWords(
    pen,
    `w${subscript(k)}`,
    view.across(path[k][0]) + 14,
    view.down(path[k][1]) - 12,
    look,
  );
}

/** Shades what each example forbids; returns the polygon where every one has y (w·x + b) > 0. */
function drawHalfPlanes(pen, view, { points, labels }, b, colours) {
  const square = squareAround0(view.half[0]);
  let solutions = square;
  points.forEach((x, row) => {
    const y = labels[row];
    const allowed = { w: [y * x[0], y * x[1]], b: y * b };
    const forbidden = { w: allowed.w.map((value) => -value), b: -allowed.b };
    drawPath(pen, view, cutPolygon(square, forbidden), {
      fill: y > 0 ? colours.positive : colours.negative,
      alpha: Math.min(0.08, 0.7 / points.length),
    });
    solutions = cutPolygon(solutions, allowed);
  });
  return solutions;
}

/** Draws the polygon of the solutions with its name, or says that there is none. */
function drawSolutions(pen, view, solutions, withOffset, colours) {
  const words = { colours, size: 13, colour: colours.floor };
  if (solutions.length > 2) {
    drawPath(pen, view, solutions, { fill: colours.floor, alpha: 0.3 });
    drawPath(pen, view, solutions, { stroke: colours.floor, width: 2, closed: true });
    const centre = [0, 1].map(
      (k) => solutions.reduce((sum, corner) => sum + corner[k], 0) / solutions.length,
    );
    drawWords(pen, strings.solutions, view.across(centre[0]), view.down(centre[1]), words);
  } else {
    drawWords(pen, strings.noSolutions(withOffset), view.size / 2, view.size - 14, {
      ...words,
      colour: colours.grey,
    });
  }
}
