// The lift (x, y) ↦ (x, y, x² + y²): the bowl, the plane that cuts it, and the circle below.

import { wantsStill } from "../../../utils/drawing/dom.js";
import { canvasContext, theme } from "../state/look.js";
import { reachOf } from "../state/grid.js";
import { cutPolygon, followCurve, squareAround0 } from "./geometry.js";
import { drawMark, drawPath } from "./marks.js";
import { curveAt, liftedPlane } from "../engine/dual.js";

const TURN = 0.00025; // radians a millisecond
const TILT = 0.42;
const RINGS = 6;

/** Connects the canvas of the lift; returns the function that draws it. */
export function buildLift(model, canvas) {
  let angle = 0.6;
  let grabbed = null;
  let waiting = false;
  let before = 0;
  canvas.addEventListener("pointerdown", (event) => {
    grabbed = { left: event.clientX, angle };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!grabbed) return;
    angle = grabbed.angle + (event.clientX - grabbed.left) * 0.01;
    draw();
  });
  for (const end of ["pointerup", "pointercancel"]) // the browser takes a finger that scrolls
    canvas.addEventListener(end, () => (grabbed = null));
  const frame = (now) => {
    waiting = false;
    if (model.fields.beyond !== "lift" || canvas.offsetParent === null) return;
    if (!grabbed && before) angle += Math.min(50, now - before) * TURN;
    before = now;
    draw();
  };
  const draw = () => {
    drawLift(model, canvas, angle);
    if (!wantsStill() && !waiting) {
      waiting = true;
      requestAnimationFrame(frame);
    }
  };
  return draw;
}

function drawLift(model, canvas, angle) {
  const { context: pen, width, height } = canvasContext(canvas);
  if (width < 40) return;
  const colours = theme();
  const { run, fields } = model;
  const { extent } = reachOf(fields.points);
  const scale = Math.min(width / 2.5, height / 2.15) / extent;
  const rim = extent;
  const project = ([x, y, z]) => {
    const across = x * Math.cos(angle) - y * Math.sin(angle);
    const away = x * Math.sin(angle) + y * Math.cos(angle);
    const up = (z / (rim * rim)) * rim * 1.35;
    return [
      width / 2 + scale * across,
      height * 0.8 - scale * (up * Math.cos(TILT) + away * Math.sin(TILT)),
    ];
  };
  const view = { across: (x) => x, down: (y) => y };
  const lift = ([x, y]) => [x, y, x * x + y * y];
  const path = (points, look) => drawPath(pen, view, points.map(project), look);
  for (let k = 1; k <= RINGS; k++) {
    const radius = (rim * k) / RINGS;
    path(circle(radius).map(lift), { stroke: colours.pale, width: 1.2 });
  }
  for (let k = 0; k < 12; k++) {
    const [c, s] = [Math.cos((k * Math.PI) / 6), Math.sin((k * Math.PI) / 6)];
    const spoke = Array.from({ length: 13 }, (_, i) =>
      lift([(c * rim * i) / 12, (s * rim * i) / 12]),
    );
    path(spoke, { stroke: colours.pale, width: 1 });
  }
  path(
    circle(rim).map(([x, y]) => [x, y, 0]),
    { stroke: colours.pale, width: 1, dash: [3, 4] },
  );
  const square = { middle: [0, 0], half: [rim, rim] };
  const { segments } = followCurve(curveAt(run, fields.points, model.t), square, 60);
  for (const segment of segments) {
    path(
      segment.map((p) => [...p, 0]),
      { stroke: colours.ink, width: 2, alpha: 0.6 },
    );
    path(segment.map(lift), { stroke: colours.ink, width: 3 });
  }
  drawCut(path, model, rim, colours);
  const marks = fields.points
    .map((point, row) => ({ point, row }))
    .sort((a, b) => depth(b.point, angle) - depth(a.point, angle));
  for (const { point, row } of marks) {
    const [x, y] = project(lift(point));
    const [, floor] = project([...point, 0]);
    drawPath(
      pen,
      view,
      [
        [x, y],
        [x, floor],
      ],
      { stroke: colours.grey, width: 1, alpha: 0.5 },
    );
    drawMark(pen, x, y, fields.labels[row], 8, colours);
  }
}

/** Draws the part of the plane w·(x, y, z) + b = 0 above the square that is in the bowl's height. */
function drawCut(path, { run, t, fields }, rim, colours) {
  const { w, b } = liftedPlane(run, fields.points, t);
  if (w[2] === 0) return;
  const slope = [-w[0] / w[2], -w[1] / w[2]];
  const middle = -b / w[2];
  const above = cutPolygon(squareAround0(rim * 0.95), { w: slope, b: middle + rim });
  const low = cutPolygon(above, { w: slope.map((value) => -value), b: rim * rim * 1.2 - middle });
  const corners = low.map(([x, y]) => [x, y, slope[0] * x + slope[1] * y + middle]);
  path(corners, { fill: colours.floor, alpha: 0.22 });
  path(corners, { stroke: colours.floor, width: 1.5, closed: true });
}

function circle(radius) {
  return Array.from({ length: 49 }, (_, i) => [
    radius * Math.cos((i * Math.PI) / 24),
    radius * Math.sin((i * Math.PI) / 24),
  ]);
}

function depth([x, y], angle) {
  return x * Math.sin(angle) + y * Math.cos(angle);
}
