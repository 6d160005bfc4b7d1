// The figures: of the model its error, recent error, mistakes and drift; of the service its rates.

import { el, linePath, setText, svg } from "../../../utils/drawing/dom.js";
import { percent, rate, size } from "../state/format.js";
import { strings } from "../strings.js";

const MINUTE = 60;
const [WIDTH, HEIGHT] = [120, 26];

/** Returns the tiles of the model. */
export function modelTiles() {
  const made = {
    error: tile("error", strings.error),
    recent: tile("recent-error", strings.lastThousand),
    mistakes: tile("mistakes", strings.mistakes),
    drift: tile("drift", strings.drift),
  };
  return { element: row("tiles", made), update: (facts) => updateModel(made, facts) };
}

/** Returns the tiles of all models together. */
export function serviceTiles() {
  const made = {
    learned: tile("learned", strings.learned, strings.aSecond),
    predicted: tile("predicted", strings.predicted, strings.aSecond),
  };
  const update = (facts, rates) => updateService(made, facts, rates);
  return { element: row("service-tiles", made), update };
}

function row(id, made) {
  return el("div", { id }, ...Object.values(made).map((one) => one.element));
}

function updateModel(made, { model, constant }) {
  const some = model.examples > 0;
  const shown = (text) => (some ? text : strings.nothing);
  made.error.set(shown(percent(model.error)), shown(strings.interval(model.interval)));
  const rival = some && constant.label !== null ? strings.constant(constant) : strings.nothing;
  made.recent.set(shown(percent(model.recent_error)), rival);
  made.mistakes.set(size(model.errors), strings.ofExamples(model.examples));
  const alarm = model.alarms.at(-1);
  made.drift.element.classList.toggle("alarmed", alarm !== undefined);
  if (alarm) made.drift.set(strings.alarmAt(alarm), strings.rose(alarm));
  else made.drift.set(strings.calm, strings.noAlarm);
}

function updateService(made, { service }, rates) {
  made.learned.set(rate(rates.rate("examples")), strings.inAll(service.examples));
  made.learned.draw(rates.course("examples"));
  made.predicted.set(rate(rates.rate("predictions")), strings.inAll(service.predictions));
  made.predicted.draw(rates.course("predictions"));
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
