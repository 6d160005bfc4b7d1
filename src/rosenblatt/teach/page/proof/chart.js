// The proof as two curves: the projection above its floor, the length below its ceiling.

import { claimsOf, isFromZero } from "../engine/separability.js";
import { numberWords } from "../plane/axes.js";
import { grouped, number } from "../state/format.js";
import { linePath, svg } from "../../../utils/drawing/dom.js";
import { theme } from "../state/look.js";
import { oncePer } from "../state/model.js";
import { strings } from "../strings.js";

const PAD = { left: 14, right: 16, top: 26, bottom: 30 };
const MOST_POINTS = 400;

/** The width of a letter as a share of its size, and the room between two texts in pixels. */
const [LETTER, GAP] = [0.62, 8];

const claimsOnce = oncePer((found) => oncePer((run) => claimsOf(run, found)));

/** Writes words into a chart. */
export function chartWords(chart, text, x, y, look = {}) {
  chart.append(svg("text", { x, y, ...look }, text));
}

/** Returns both sides of the claims of a model's run. */
export function claimsOnceOf({ run, found }) {
  return claimsOnce(found)(run);
}

/**
 * Returns the chart of the claims up to the bound; the lengths, so that both have one unit.
 * @param {Model} model
 * @param {number} k the mistakes so far
 * @param {{width: number, height: number}} size
 * @param {function(number): void} pickMistake called with the number of a clicked mistake
 */
export function claimsChart(model, k, { width, height }, pickMistake) {
  const { found, run } = model;
  const claims = claimsOnceOf(model);
  const last = run.weights.length - 1;
  const { conventions } = run;
  const { meeting, bound, limit } = found;
  const end = Math.max(1, last, meeting === null ? 0 : limit * 1.06);
  const top =
    Math.max(...[end, last].map((t) => Math.sqrt(ceilingAt(claims, run, found, t))), 1e-9) * 1.04;
  const x = (t) => PAD.left + ((width - PAD.left - PAD.right) * t) / end;
  const y = (value) =>
    height - PAD.bottom - ((height - PAD.top - PAD.bottom) * Math.max(0, value)) / top;
  const chart = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": strings.proofChart(k, bound === null ? null : number(bound)),
  });
  const ceiling = curve(end, (t) => [x(t), y(Math.sqrt(ceilingAt(claims, run, found, t)))]);
  const floorAt = (t) => (claims.least?.[0] ?? 0) + t * conventions.eta * found.gamma;
  const floor = curve(end, (t) => [x(t), y(floorAt(t))]);
  if (meeting !== null) {
    const upTo = curve(meeting, (t) => [x(t), y(Math.sqrt(ceilingAt(claims, run, found, t)))]);
    const below = curve(meeting, (t) => [x(t), y(floorAt(t))]).reverse();
    chart.append(svg("path", { class: "gap", d: `${linePath([...upTo, ...below])}Z` }));
  }
  chart.append(
    svg("path", { class: "axis", d: `M${PAD.left} ${y(0)}H${width - PAD.right}` }),
    svg("path", { class: "ceiling bound", d: linePath(ceiling), "data-part": "most" }),
    svg("path", {
      class: found.separable ? "floor bound" : "floor bound off",
      d: linePath(floor),
      "data-part": "least",
    }),
  );
  addRun(chart, claims, last, x, y);
  addNow(chart, claims, k, x, y, height);
  const [crossing, highest] = [meeting ?? 0, limit ?? 0].map((t) => y(floorAt(t)));
  addWords(chart, { x, crossing, highest, end, width, height, conventions, found, ceiling, floor });
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const left = ((event.clientX - box.left) / box.width) * width;
    const t = Math.round(((left - PAD.left) / (width - PAD.left - PAD.right)) * end);
    pickMistake(Math.min(Math.max(0, t), last));
  });
  return chart;
}

function ceilingAt(claims, run, found, t) {
  return claims.most[0] + t * (run.conventions.eta * found.radius) ** 2;
}

function curve(end, at) {
  return Array.from({ length: 61 }, (_, i) => at(end * (i / 60) ** 2));
}

/** Adds the run's own curves. */
function addRun(chart, claims, last, x, y) {
  const every = Math.max(1, Math.ceil(last / MOST_POINTS));
  const shown = Array.from({ length: last + 1 }, (_, t) => t).filter(
    (t) => t % every === 0 || t === last,
  );
  const lengths = shown.map((t) => [x(t), y(Math.sqrt(claims.squares[t]))]);
  chart.append(svg("path", { class: "ceiling run", d: linePath(lengths) }));
  if (claims.projection) {
    chart.append(
      svg("path", {
        class: "floor run",
        d: linePath(shown.map((t) => [x(t), y(claims.projection[t])])),
      }),
    );
  }
}

/** Adds the marks of the mistakes so far. */
function addNow(chart, claims, k, x, y, height) {
  chart.append(svg("path", { class: "now", d: `M${x(k)} ${PAD.top - 8}V${height - PAD.bottom}` }));
  chart.append(
    svg("circle", { class: "ceiling dot", cx: x(k), cy: y(Math.sqrt(claims.squares[k])), r: 5 }),
  );
  if (claims.projection) {
    chart.append(
      svg("circle", { class: "floor dot", cx: x(k), cy: y(claims.projection[k]), r: 5 }),
    );
  }
}

function addWords(chart, about) {
  const { x, crossing, highest, end, width, height, conventions, found, ceiling, floor } = about;
  const words = (text, x, y, look) => chartWords(chart, text, x, y, look);
  const [fromZero, middle] = [isFromZero(conventions), ceiling[40]];
  words(strings.ceilingName(fromZero, conventions.eta), middle[0] - 8, middle[1] - 9, {
    class: "ceiling name",
    "text-anchor": "end",
  });
  if (found.separable) {
    const low = floor[44];
    words(strings.floorName(fromZero, conventions.eta), low[0] + 6, low[1] + 18, {
      class: "floor name",
    });
  }
  if (found.meeting !== null) {
    const left = x(found.limit); // from 0 they meet there, from elsewhere a little before
    chart.append(
      svg("path", { class: "meeting", d: `M${left} ${crossing}V${height - PAD.bottom}` }),
      svg("circle", { class: "meeting", cx: x(found.meeting), cy: crossing, r: 6 }),
    );
    words(
      strings.meets(fromZero, conventions.eta, number(found.bound)),
      Math.min(left + 4, width - 4),
      Math.max(14, highest - 12),
      { class: "meets", "text-anchor": "end" },
    );
  }
  words(strings.mistakesAxis, PAD.left + 2, height - 8, { class: "small" });
  const letter = LETTER * theme().small;
  const named = PAD.left + letter * strings.mistakesAxis.length;
  for (const t of ticksOf(end)) {
    const text = grouped(numberWords(t));
    const half = (letter * text.length) / 2;
    if (x(t) - half < named + GAP || x(t) + half > width) continue;
    words(text, x(t), height - 8, { class: "small", "text-anchor": "middle" });
  }
}

/** Returns round numbers of an axis from 0. */
function ticksOf(end) {
  const power = 10 ** Math.floor(Math.log10(end));
  const step =
    [0.1, 0.2, 0.5, 1].map((m) => m * power).find((size) => end / size <= 6 && size >= 1) ??
    Math.max(1, power);
  return Array.from({ length: Math.floor(end / step) }, (_, i) => (i + 1) * step);
}
