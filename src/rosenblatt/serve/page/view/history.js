// Versions in short: snapshots, and what changed the model besides examples.

import { el } from "../../../utils/drawing/dom.js";
import { size, time } from "../state/format.js";
import { strings } from "../strings.js";
import { card } from "./card.js";

const SHOWN = 5;

/** Returns the card of versions. */
export function historyCard() {
  const snapshots = el("p", { className: "snapshots" });
  const changes = el("ul", { className: "changes" });
  const { element, setNote } = card(
    "history",
    strings.history,
    "",
    el("h3", { textContent: strings.snapshots }),
    snapshots,
    el("h3", { textContent: strings.changes }),
    changes,
  );
  const update = ({ versions }) => {
    setNote(strings.historyNote(versions));
    const latest = versions.snapshots.slice(-SHOWN).map((version) => `#${size(version)}`);
    snapshots.textContent = latest.join("  ") || strings.noSnapshots;
    const shown = versions.changes.slice(-SHOWN).reverse();
    changes.replaceChildren(
      ...(shown.length ? shown.map(changeRow) : [el("li", { textContent: strings.noChanges })]),
    );
  };
  return { element, update };
}

function changeRow({ version, what, time: stamp }) {
  return el(
    "li",
    {},
    el("span", { className: "version", textContent: `#${size(version)}` }),
    el("span", { textContent: strings.whats[what] ?? what }),
    el("time", { textContent: time(stamp), dateTime: new Date(1000 * stamp).toISOString() }),
  );
}
