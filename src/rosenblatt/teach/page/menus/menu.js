// A menu of the bar.

import { el } from "../../../utils/drawing/dom.js";

let openMenu = null;

/**
 * Returns a menu: a button that opens a list of entries.
 * @param {string} id
 * @param {string} title
 * @param {{id: string, words: string, run: function(): void, phone?: boolean}[]} entries
 */
export function menu(id, title, entries) {
  const items = entries.map((entry) =>
    el("button", {
      id: entry.id,
      role: "menuitemcheckbox",
      "aria-checked": "false",
      className: entry.phone ? "phone-only" : "",
      textContent: entry.words,
      onclick: () => {
        show(false);
        entry.run();
      },
    }),
  );
  const list = el(
    "div",
    { className: "menu-items", role: "menu", "aria-label": title, hidden: true },
    ...items,
  );
  const button = el("button", {
    id,
    "aria-haspopup": "menu",
    "aria-expanded": "false",
    textContent: `${title} ▾`,
    onclick: () => show(list.hidden),
  });
  const box = el("div", { className: "menu" }, button, list);
  const show = (open) => {
    if (open) openMenu?.(false);
    list.hidden = !open;
    button.setAttribute("aria-expanded", String(open));
    openMenu = open ? show : null;
    if (open) visible()[0]?.focus();
  };
  const visible = () => items.filter((item) => item.offsetParent !== null);
  list.addEventListener("keydown", (event) => {
    if (list.hidden) return; // the chosen entry has the keys for a moment more
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const all = visible();
    if (step) all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    else if (event.key === "Escape") {
      show(false);
      button.focus();
    }
    event.stopPropagation();
    if (step) event.preventDefault();
  });
  return { box, items, button };
}

/** Closes the open menu where a click falls elsewhere. */
export function connectMenus() {
  document.addEventListener("pointerdown", (event) => {
    if (openMenu && !event.target.closest(".menu")) openMenu(false);
  });
}
