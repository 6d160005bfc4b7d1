// The confusion table of the most frequent labels.

import { el } from "../../../utils/drawing/dom.js";
import { size } from "../state/format.js";
import { strings } from "../strings.js";
import { card, scroller, tableRow } from "./card.js";

const DARKEST = 0.34; // of a cell's colour, so that its number stays legible

/** Returns the card of the confusion table. */
export function confusionCard() {
  const table = el("table", {});
  const { element } = card(
    "confusion",
    strings.confusion,
    strings.confusionNote,
    scroller(strings.confusion, table),
  );
  let drawn = "";
  const update = ({ confusion }) => {
    const text = JSON.stringify(confusion);
    if (text === drawn) return;
    drawn = text;
    table.replaceChildren(...rows(confusion));
  };
  return { element, update };
}

function rows({ labels, counts }) {
  if (!labels.length) return [];
  const none = counts.some((row) => row.at(-1) > 0);
  const names = labels.map(String);
  const heads = none ? [...names, strings.noPrediction] : names;
  return [
    el("thead", {}, tableRow([strings.labelCorner, ...heads], { header: true })),
    el(
      "tbody",
      {},
      ...counts.map((row, i) => {
        const shown = none ? row : row.slice(0, -1);
        const element = tableRow([names[i], ...shown.map(size)]);
        const sum = Math.max(1, row.reduce((a, b) => a + b, 0));
        [...element.children].slice(1).forEach((cell, j) => {
          cell.className = i === j ? "hit" : "miss";
          cell.style.setProperty("--share", `${(100 * DARKEST * shown[j]) / sum}%`);
        });
        return element;
      }),
    ),
  ];
}
