// Icons, drawn as strokes on a square of 24.

import { svg } from "../../../utils/drawing/dom.js";

const PATHS = {
  first: "M6 5v14M19 5 9 12l10 7z",
  back: "M16 5 7 12l9 7z",
  play: "M7 4.5 19 12 7 19.5z",
  pause: "M8 5v14M16 5v14",
  forward: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l10 7-10 7z",
  move: "M12 3v18M3 12h18M12 3 9 6M12 3l3 3M12 21l-3-3M12 21l3-3M3 12l3-3M3 12l3 3M21 12l-3-3M21 12l-3 3",
  remove: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  clear: "M5 5l14 14M19 5 5 19",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  list: "M5 6h14M5 12h14M5 18h14",
  negative: "M5 12h14",
  positive: "M5 12h14M12 5v14",
};

/** Returns an icon; a button that has it needs a name of its own. */
export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", class: `icon icon-${name}`, "aria-hidden": "true" },
    svg("path", { d: PATHS[name] }),
  );
}
