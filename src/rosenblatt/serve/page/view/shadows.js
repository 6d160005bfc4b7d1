// The model and its shadows, on the same examples.

import { el } from "../../../utils/drawing/dom.js";
import { percent } from "../state/format.js";
import { strings } from "../strings.js";
import { card, scroller, tableRow } from "./card.js";

/** Returns the card of shadows, which is hidden while there are none. */
export function shadowsCard() {
  const body = el("tbody", {});
  const heads = [strings.name, strings.curve, strings.band, strings.windowed, strings.config];
  const table = el("table", {}, el("thead", {}, tableRow(heads, { header: true })), body);
  const { element } = card(
    "shadows",
    strings.shadows,
    strings.shadowsNote,
    scroller(strings.shadows, table),
  );
  const update = ({ shadows }) => {
    element.hidden = shadows.length === 0;
    const best = Math.min(...shadows.map((each) => each.error));
    body.replaceChildren(...shadows.map((each) => shadowRow(each, each.error === best)));
  };
  return { element, update };
}

function shadowRow({ name, shadow, config, examples, error, interval, windowed }, best) {
  const [low, high] = interval.map(percent);
  const row = tableRow([
    name,
    examples ? percent(error) : strings.nothing,
    `${low} – ${high}`,
    percent(windowed),
    Object.keys(config).length ? JSON.stringify(config) : strings.usual,
  ]);
  row.className = `${best ? "best" : ""} ${shadow ? "" : "own"}`.trim();
  row.title = strings.ofExamples(examples);
  return row;
}
