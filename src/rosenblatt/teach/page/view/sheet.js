// On a phone the panels are a sheet: swiped up over the plane, and down again.

import { byId, el } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";

/** How far a swipe must go, in pixels. */
const SWIPE = 36;

/** Builds the handle of the sheet. */
export function buildSheet(model) {
  const sheet = byId("right");
  const handle = el("button", { id: "handle", onclick: () => open(!model.fields.sheet) });
  sheet.prepend(handle);
  const open = (sheet) => model.set({ sheet });
  let start = null;
  sheet.addEventListener("touchstart", (event) => (start = event.touches[0].clientY), {
    passive: true,
  });
  sheet.addEventListener("touchend", (event) => {
    const way = event.changedTouches[0].clientY - start;
    const scrolled = event.target.closest(".panel, .scroller")?.scrollTop > 0;
    if (way < -SWIPE && !model.fields.sheet) open(true);
    else if (way > SWIPE && model.fields.sheet && !scrolled) open(false);
  });
  return () => {
    const isOpen = Boolean(model.fields.sheet);
    document.documentElement.classList.toggle("sheet-open", isOpen);
    const name = isOpen ? strings.closeSheet : strings.openSheet;
    handle.setAttribute("aria-label", name);
    handle.setAttribute("aria-expanded", String(isOpen));
  };
}
