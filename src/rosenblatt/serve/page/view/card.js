// A card of the panel: a title, a note beside it, and what it shows.

import { el, setText } from "../../../utils/drawing/dom.js";

/** Returns a card, and a function that sets its note. */
export function card(name, title, note, ...children) {
  const heading = el("h2", { id: `${name}-title`, textContent: title });
  const aside = el("p", { className: "note", textContent: note });
  const element = el(
    "section",
    { id: name, className: "card", "aria-labelledby": heading.id },
    el("div", { className: "head" }, heading, aside),
    ...children,
  );
  return { element, setNote: (text) => setText(aside, text) };
}

/** Returns a part of a card that scrolls by the keyboard, too. */
export function scroller(label, ...children) {
  return el(
    "div",
    { className: "scroller", role: "group", "aria-label": label, tabIndex: 0 },
    ...children,
  );
}

/** Returns a row of a table. */
export function tableRow(cells, { header = false } = {}) {
  const cellOf = (cell, i) => {
    if (header) return el("th", { scope: "col" }, cell);
    return i === 0 ? el("th", { scope: "row" }, cell) : el("td", {}, cell);
  };
  return el("tr", {}, ...cells.map(cellOf));
}
