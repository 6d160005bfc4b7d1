// The heaviest features of each label, as bars to both sides.

import { el } from "../../../utils/drawing/dom.js";
import { weight } from "../state/format.js";
import { strings } from "../strings.js";
import { card, scroller } from "./card.js";

/** Returns the card of the heaviest features. */
export function featuresCard() {
  const groups = el("div", { className: "groups" });
  const { element, setNote } = card(
    "features",
    strings.heaviest,
    "",
    scroller(strings.heaviest, groups),
  );
  let drawn = "";
  const update = ({ heaviest, knows_spreads, model }) => {
    const text = JSON.stringify(heaviest);
    if (text === drawn) return;
    drawn = text;
    const labels = model.labels.map(([label]) => label);
    const two = heaviest.length === 1;
    const other = labels.find((label) => label !== heaviest[0]?.label);
    const sides = two ? strings.twoLabels(heaviest[0].label, other) : strings.severalLabels;
    setNote(knows_spreads ? strings.effects(sides) : sides);
    groups.replaceChildren(...heaviest.map((group) => groupOf(group, two)));
  };
  return { element, update };
}

function groupOf({ label, features }, alone) {
  const most = Math.max(...features.map(([, value]) => Math.abs(value))) || 1;
  return el(
    "div",
    { className: "group" },
    alone ? null : el("h3", { textContent: String(label) }),
    el(
      "ul",
      { className: "bars" },
      ...features.map(([name, value]) => {
        const bar = el("span", { className: value < 0 ? "fill less" : "fill more" });
        bar.style.setProperty("--size", `${(50 * Math.abs(value)) / most}%`);
        return el(
          "li",
          {},
          el("span", { className: "name", textContent: name, title: name }),
          el("span", { className: "bar", "aria-hidden": "true" }, bar),
          el("span", { className: "value", textContent: weight(value) }),
        );
      }),
    ),
  );
}
