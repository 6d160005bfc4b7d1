// The Gram matrix on a canvas: K(xᵢ, xⱼ) of all pairs, αⱼ yⱼ above it, and f(xᵢ) beside it.

import { alphaAt, LINEAR } from "../engine/dual.js";
import { dot, mistakesBefore, sgn } from "../engine/run.js";
import { number, signed } from "../state/format.js";
import { canvasContext, theme } from "../state/look.js";
import { strings } from "../strings.js";

/** The widest cell, and the narrowest one that has its number in it, in pixels. */
const [WIDEST, READABLE] = [54, 17];

/** So many shades of a colour: cells of one are drawn at once, since a matrix may have thousands. */
const SHADES = 24;

/** Draws the matrix of a model's points before its look. */
export function drawGram({ run, t, fields }, canvas) {
  const { context: pen, width, height } = canvasContext(canvas);
  const { points, labels } = fields;
  const n = points.length;
  const side = Math.min(WIDEST, width / (n + 3.2), height / (n + 1.6));
  if (n === 0 || side < 1) return;
  canvas.setAttribute("aria-label", strings.gramLabel(n));
  const colours = theme();
  const kernel = run.kernel ?? LINEAR;
  const cells = points.map((x) => points.map((z) => kernel.of(x, z)));
  const largest = Math.max(...cells.flat().map(Math.abs)) || 1;
  const alpha = alphaAt(run, t);
  const [left, top] = [1.2 * side, 1.3 * side];
  const size = Math.max(9, Math.min(15, side * 0.36));
  const isReadable = side >= READABLE;
  const write = (words, column, row, colour, weight = 400) => {
    if (!isReadable) return;
    pen.font = `${weight} ${Math.min(size, (1.5 * side) / words.length)}px ${colours.font}`;
    pen.fillStyle = colour;
    pen.fillText(words, left + (column + 0.5) * side, top + (row + 0.5) * side);
  };
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const [shade, places] of byShade(cells, largest)) {
    pen.globalAlpha = 0.06 + (0.5 * Math.abs(shade)) / SHADES;
    pen.fillStyle = shade === 0 ? colours.pale : shade > 0 ? colours.floor : colours.ceiling;
    pen.beginPath();
    for (const [i, j] of places) pen.rect(left + j * side, top + i * side, side - 1, side - 1);
    pen.fill();
  }
  pen.globalAlpha = 1;
  if (isReadable)
    cells.forEach((row, i) => row.forEach((value, j) => write(number(value), j, i, colours.ink)));
  const colourOf = (row) => (labels[row] > 0 ? colours.positive : colours.negative);
  const scores = scoresAt(run, t);
  points.forEach((_, i) => {
    write(String(i + 1), -1, i, colourOf(i), 600);
    const isUsed = alpha[i] > 0;
    const multiple = isUsed ? signed(alpha[i] * labels[i]) : "0";
    write(multiple, i, -1.1, isUsed ? colourOf(i) : colours.grey, 700);
    const isRight = sgn(scores[i], run.conventions.tie) === labels[i];
    write(number(scores[i]), n + 0.4, i, isRight ? colours.floor : colours.wrong, 700);
  });
  write("αy", -1, -1.1, colours.grey);
  write("f", n + 0.4, -1.1, colours.grey);
  if (t >= run.rows.length) return;
  pen.strokeStyle = colours.ink;
  pen.lineWidth = 2;
  pen.strokeRect(left - 1, top + run.rows[t] * side - 1, n * side + 1, side + 1);
}

/** Returns the places of the cells by their shade, which has the sign of the value. */
function byShade(cells, largest) {
  const places = new Map();
  cells.forEach((row, i) =>
    row.forEach((value, j) => {
      const shade = Math.sign(value) * Math.round(SHADES * Math.sqrt(Math.abs(value) / largest)) + 0;
      if (!places.has(shade)) places.set(shade, []);
      places.get(shade).push([i, j]);
    }),
  );
  return places;
}

/** Returns the score of every row before look t. */
function scoresAt(run, t) {
  const w = run.whole.weights[mistakesBefore(run, t)];
  const unit = 10 ** (run.whole.rowDigits + run.whole.digits);
  return run.whole.rows.map((x) => Number(dot(w, x)) / unit);
}
