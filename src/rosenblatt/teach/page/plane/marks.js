// What the plane is drawn with: marks of the classes, lines, arrows, words.

/** Draws a disc with − or a square with +, of a radius in pixels. */
export function drawMark(pen, x, y, label, radius, colours) {
  pen.beginPath();
  if (label > 0) pen.rect(x - radius * 0.9, y - radius * 0.9, radius * 1.8, radius * 1.8);
  else pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fillStyle = label > 0 ? colours.positive : colours.negative;
  pen.strokeStyle = colours.paper;
  pen.lineWidth = 1.5;
  pen.fill();
  pen.stroke();
  const arm = radius * 0.5;
  pen.beginPath();
  pen.moveTo(x - arm, y);
  pen.lineTo(x + arm, y);
  if (label > 0) {
    pen.moveTo(x, y - arm);
    pen.lineTo(x, y + arm);
  }
  pen.strokeStyle = colours.paper;
  pen.lineWidth = Math.max(1.6, radius * 0.22);
  pen.stroke();
}

/** Draws a path through points of the plane. */
export function drawPath(
  pen,
  view,
  corners,
  { stroke, fill, width = 1, dash = [], alpha = 1, closed = false },
) {
  if (corners.length === 0) return;
  pen.save();
  pen.globalAlpha = alpha;
  pen.beginPath();
  corners.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](view.across(x), view.down(y)));
  if (closed || fill) pen.closePath();
  if (fill) {
    pen.fillStyle = fill;
    pen.fill();
  }
  if (stroke) {
    pen.setLineDash(dash);
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.stroke();
  }
  pen.restore();
}

/** Fills some polygons of the plane as one shape, without seams between them. */
export function drawRegion(pen, view, polygons, { fill, alpha }) {
  pen.save();
  pen.globalAlpha = alpha;
  pen.fillStyle = fill;
  pen.beginPath();
  for (const corners of polygons) {
    corners.forEach(([x, y], i) => pen[i ? "lineTo" : "moveTo"](view.across(x), view.down(y)));
    pen.closePath();
  }
  pen.fill();
  pen.restore();
}

/** Draws an arrow between two points of the plane. */
export function drawArrow(pen, view, from, to, { colour, width = 3, dash = [], alpha = 1 }) {
  const [x0, y0, x1, y1] = [
    view.across(from[0]),
    view.down(from[1]),
    view.across(to[0]),
    view.down(to[1]),
  ];
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 1) return;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  const head = Math.min(length * 0.6, 7 + 2.4 * width);
  pen.save();
  pen.globalAlpha = alpha;
  pen.strokeStyle = pen.fillStyle = colour;
  pen.lineWidth = width;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1 - ux * head * 0.8, y1 - uy * head * 0.8);
  pen.stroke();
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x1 - ux * head - uy * head * 0.42, y1 - uy * head + ux * head * 0.42);
  pen.lineTo(x1 - ux * head + uy * head * 0.42, y1 - uy * head - ux * head * 0.42);
  pen.closePath();
  pen.fill();
  pen.restore();
}

/** Writes words with a halo of paper around them. */
export function drawWords(
  pen,
  words,
  x,
  y,
  { colour, colours, size = 15, weight = 600, align = "center" },
) {
  pen.font = `${weight} ${size}px ${colours.font}`;
  pen.textAlign = align;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.strokeStyle = colours.paper;
  pen.lineWidth = 5;
  pen.setLineDash([]);
  pen.strokeText(words, x, y);
  pen.fillStyle = colour;
  pen.fillText(words, x, y);
}

/** Draws a cross at the upper right of a mark. */
export function drawCross(pen, x, y, radius, colours) {
  const [cx, cy, arm] = [x + radius * 1.05, y - radius * 1.05, radius * 0.52];
  for (const [colour, width] of [
    [colours.paper, radius * 0.72],
    [colours.wrong, radius * 0.32],
  ]) {
    pen.beginPath();
    pen.moveTo(cx - arm, cy - arm);
    pen.lineTo(cx + arm, cy + arm);
    pen.moveTo(cx + arm, cy - arm);
    pen.lineTo(cx - arm, cy + arm);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
}

/** Draws a ring around a mark. */
export function drawRing(pen, x, y, radius, { colour, width = 3, alpha = 1, dash = [] }) {
  pen.save();
  pen.globalAlpha = alpha;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.stroke();
  pen.restore();
}
