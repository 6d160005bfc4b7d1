// The figures at the top: error, recent error, mistakes, throughput, drift.

import { el, linePath, setText, svg } from "../../../utils/drawing/dom.js";
import { percent, rate, size } from "../state/format.js";
import { strings } from "../strings.js";

const MINUTE = 60;
const [WIDTH, HEIGHT] = [120, 26];

/** Returns the tiles. */
export function tiles() {
  const made = {
    error: tile("error", strings.error),
    recent: tile("recent-error", strings.lastThousand),
    mistakes: tile("mistakes", strings.mistakes),
    learned: tile("learned", strings.learned, strings.aSecond),
    predicted: tile("predicted", strings.predicted, strings.aSecond),
    drift: tile("drift", strings.drift),
  };
  const element = el("div", { id: "tiles" }, ...Object.values(made).map((one) => one.element));
  return { element, update: (facts, rates) => update(made, facts, rates) };
}

function update(made, { model, constant, service }, rates) {
  const some = model.examples > 0;
  const shown = (text) => (some ? text : strings.nothing);
  made.error.set(shown(percent(model.error)), shown(strings.interval(model.interval)));
  const rival = some && constant.label !== null ? strings.constant(constant) : strings.nothing;
  made.recent.set(shown(percent(model.recent_error)), rival);
  made.mistakes.set(size(model.errors), strings.ofExamples(model.examples));
  made.learned.set(rate(rates.rate("examples")), strings.inAll(service.examples));
  made.learned.draw(rates.course("examples"));
  made.predicted.set(rate(rates.rate("predictions")), strings.inAll(service.predictions));
  made.predicted.draw(rates.course("predictions"));
  const alarm = model.alarms.at(-1);
  made.drift.element.classList.toggle("alarmed", alarm !== undefined);
  if (alarm) made.drift.set(strings.alarmAt(alarm), strings.rose(alarm));
  else made.drift.set(strings.calm, strings.noAlarm);
}

function tile(name, title, unit = "") {
  const figure = el("span", { className: "figure" });
  const note = el("p", { className: "note" });
  const drawing = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const element = el(
    "section",
    { id: `tile-${name}`, className: "tile", "aria-label": title },
    el("p", { className: "title", textContent: title }),
    el("p", {}, figure, el("span", { className: "unit", textContent: unit })),
    note,
    ...(unit ? [drawing] : []),
  );
  const set = (text, words) => {
    setText(figure, text);
    setText(note, words);
  };
  return { element, set, draw: (course) => draw(drawing, course) };
}

/** Draws the rates of the last minute. */
function draw(drawing, course) {
  const top = Math.max(1, ...course.map(([, value]) => value));
  const points = course.map(([ago, value]) => [
    WIDTH * (1 - ago / MINUTE),
    HEIGHT - 1 - (HEIGHT - 3) * (value / top),
  ]);
  if (points.length < 2) return drawing.replaceChildren();
  const line = linePath(points);
  const area = `${line}L${points.at(-1)[0].toFixed(1)} ${HEIGHT}L${points[0][0].toFixed(1)} ${HEIGHT}Z`;
  drawing.replaceChildren(
    svg("path", { class: "area", d: area }),
    svg("path", { class: "line", d: line }),
  );
}
