// The plane on its canvas: drawn after every change, and moved through an update.

import { alphaAt } from "../engine/dual.js";
import { lineAt, mistakesBefore } from "../engine/run.js";
import { number, signed, vector } from "../state/format.js";
import { byId, setText, wantsStill } from "../../../utils/drawing/dom.js";
import { canvasContext, theme } from "../state/look.js";
import { strings } from "../strings.js";
import { drawPlane } from "./draw.js";
import { viewOf } from "./geometry.js";
import { partAt } from "./proof.js";
import { sceneAt } from "./scene.js";

const [MOVE_MS, ANSWER_MS, SLOW_MS] = [520, 1200, 2000]; // of an update; of an answer; at the page's own beginning
const PULSE_MS = 1600;
const [FLASH_MS, FLASHES] = [700, 3]; // of points that an answer turned wrong

/** Builds the plane; returns the function that draws it. */
export function buildPlane(model) {
  const canvas = byId("plane");
  const words = byId("plane-words");
  canvas.setAttribute("aria-label", strings.planeLabel);
  let moved = null;
  let shown = null;
  const light = (lit) => {
    if (shown?.proof) model.light(lit);
  };
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    if (shown?.proof && !model.fields.dragging)
      light(partAt(shown, viewOf(canvas.clientWidth, shown.grid), offsetX, offsetY));
  });
  canvas.addEventListener("pointerleave", () => light(null));
  let waiting = false;
  model.listen((changed) => {
    const one = changed.includes("cameFrom") && model.t === model.fields.cameFrom + 1;
    const { intro, result } = model.fields;
    if (one && model.run.wrong[model.t - 1] && !wantsStill())
      moved = { t: model.t, start: performance.now(), time: intro ? SLOW_MS : result ? ANSWER_MS : MOVE_MS };
    else if (changed.includes("t") || changed.includes("points")) moved = null;
  });
  const frame = () => {
    waiting = false;
    draw();
  };
  const again = () => {
    if (!waiting) requestAnimationFrame(frame);
    waiting = true;
  };
  const draw = () => {
    const { context, width } = canvasContext(canvas);
    if (width < 10) return;
    const now = performance.now();
    const share = moved && moved.t === model.t ? Math.min(1, (now - moved.start) / moved.time) : 1;
    const scene = sceneAt(model, share * share * (3 - 2 * share));
    if (model.fields.intro && model.t === 0 && !wantsStill()) {
      scene.pulse = (now % PULSE_MS) / PULSE_MS;
      again();
    }
    const flashed = moved && model.fields.result ? now - moved.start - moved.time : -1;
    if (flashed >= 0 && flashed < FLASHES * FLASH_MS) {
      scene.flash = (flashed % FLASH_MS) / FLASH_MS;
      again();
    }
    if (share < 1) again();
    drawPlane(context, width, scene, theme(), strings);
    shown = scene;
    if (!model.fields.dragging) setText(words, describe(model));
  };
  return draw;
}

/** Returns the line, or the α of a curve, in words. */
function boundaryWords(run, t) {
  if (run.kernel) return strings.curveWords(vector(alphaAt(run, t)));
  const { w, b } = lineAt(run, t);
  const noLine = strings.noLineWords(mistakesBefore(run, t));
  return w[0] || w[1] ? strings.lineWords(vector(w), number(b)) : noLine;
}

/** Returns the plane in words, for screen readers. */
export function describe(model) {
  const { fields, run, t, looks } = model;
  const positive = fields.labels.filter((label) => label > 0).length;
  const row = run.rows[t];
  return strings.describe({
    positive,
    negative: fields.labels.length - positive,
    line: boundaryWords(run, t),
    t: Math.min(t + 1, looks),
    looks,
    current:
      t < looks ? strings.currentWords(vector(fields.points[row]), signed(fields.labels[row])) : "",
    status: t >= looks ? strings.doneTexts[model.ending] : "",
  });
}
