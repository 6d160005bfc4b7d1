// The progressive error with its interval, over examples on a logarithmic axis.

import { el, linePath, setText, svg } from "../../../utils/drawing/dom.js";
import { percent, size } from "../state/format.js";
import { strings } from "../strings.js";
import { card } from "./card.js";

const PAD = { left: 46, right: 14, top: 10, bottom: 26 };
const [AXIS_NAME, PHONE] = [78, 500]; // pixels of the axis's name, and of a narrow chart

/** Returns the card of the progressive error. */
export function progressCard() {
  const legend = el(
    "ul",
    { className: "legend" },
    ...["curve", "band", "windowed", "baseline", "alarms"].map((name) =>
      el("li", { className: name, textContent: strings[name] }),
    ),
  );
  const readout = el("p", { className: "readout" });
  const drawing = svg("svg", { role: "img" });
  const stage = el("div", { className: "stage" }, drawing);
  const { element } = card("progress", strings.progress, strings.progressNote, legend, stage, readout);
  let facts = null;
  const redraw = () => facts && draw(drawing, stage, facts);
  new ResizeObserver(redraw).observe(stage);
  stage.addEventListener("pointermove", (event) => {
    const left = event.clientX - stage.getBoundingClientRect().left;
    const point = facts && nearest(facts.points, left, stage.clientWidth);
    if (point) setText(readout, strings.pointWords(point));
  });
  stage.addEventListener("pointerleave", () => setText(readout, now(facts)));
  const update = (latest) => {
    facts = latest;
    if (!stage.matches(":hover")) setText(readout, now(facts));
    redraw();
  };
  return { element, update };
}

function now(facts) {
  const point = facts?.points.at(-1);
  return point?.examples ? strings.pointWords(point) : strings.waitsForExamples;
}

/** Returns the horizontal place of a number of examples. */
function across(examples, last, width) {
  const share = Math.log(Math.max(1, examples)) / Math.log(Math.max(2, last));
  return PAD.left + (width - PAD.left - PAD.right) * share;
}

function nearest(points, left, width) {
  const last = points.at(-1).examples;
  const distance = (point) => Math.abs(across(point.examples, last, width) - left);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best));
}

function draw(drawing, stage, { model, points, constant }) {
  const [width, height] = [stage.clientWidth, stage.clientHeight];
  const shown = points.filter((point) => point.examples);
  const last = Math.max(2, points.at(-1).examples);
  const top = heightOf(shown, constant);
  const x = (examples) => across(examples, last, width);
  const y = (share) => height - PAD.bottom - ((height - PAD.top - PAD.bottom) * share) / top;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  drawing.setAttribute("aria-label", strings.chartWords(model));
  drawing.replaceChildren(...axes({ width, height, last, top, x, y }));
  if (!shown.length) return;
  const line = (value) => linePath(shown.map((point) => [x(point.examples), y(value(point))]));
  const high = shown.map((point) => [x(point.examples), y(point.interval[1])]);
  const low = shown.map((point) => [x(point.examples), y(point.interval[0])]).reverse();
  const end = shown.at(-1);
  drawing.append(
    svg("path", { class: "band", d: `${linePath([...high, ...low])}Z` }),
    svg("path", { class: "baseline", d: `M${PAD.left} ${y(constant.error)}H${width - PAD.right}` }),
    ...model.alarms.map(({ example }) =>
      svg("path", { class: "alarms", d: `M${x(example)} ${PAD.top}V${height - PAD.bottom}` }),
    ),
    svg("path", { class: "windowed", d: line((point) => point.windowed) }),
    svg("path", { class: "curve", d: line((point) => point.error) }),
    svg("circle", { class: "curve", cx: x(end.examples), cy: y(end.error), r: 4 }),
  );
}

/** Returns the share at the top of the chart: the curves and the band are whole. */
function heightOf(points, constant) {
  const shares = points.flatMap((point) => [point.error, point.windowed, point.interval[1]]);
  return Math.min(1, 1.05 * Math.max(0.01, constant.error, ...shares));
}

function axes({ width, height, last, top, x, y }) {
  const lines = [];
  const words = (text, left, down, anchor) => {
    const element = svg("text", { x: left, y: down, "text-anchor": anchor });
    element.textContent = text;
    lines.push(element);
  };
  const step = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((s) => top / s <= 5) ?? 0.5;
  for (let share = 0; share <= top; share += step) {
    lines.push(svg("path", { class: "grid", d: `M${PAD.left} ${y(share)}H${width - PAD.right}` }));
    words(percent(share).replace(".0", ""), PAD.left - 8, y(share) + 4, "end");
  }
  const end = width - PAD.right;
  const every = width < PHONE && last > 1e5 ? 100 : 10;
  for (let examples = 1; examples <= last; examples *= every) {
    const fits = x(examples) < end - AXIS_NAME;
    if (fits) words(size(examples), x(examples), height - 8, "middle");
  }
  words(strings.examplesAxis, end, height - 8, "end");
  return lines;
}
