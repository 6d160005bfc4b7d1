// The tab Table: the looks around the current one.

import { asLine } from "../engine/conventions.js";
import { number, signed, vector } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";

const ROWS = 100;

/** Builds the tab into a panel. */
export function buildTable(model, panel) {
  const head = el(
    "thead",
    {},
    el(
      "tr",
      {},
      ...strings.columns.map((words) =>
        el(words ? "th" : "td", words ? { scope: "col", textContent: words } : {}),
      ),
    ),
  );
  const body = el("tbody", {
    onclick: (event) => {
      const row = event.target.closest("tr");
      if (row) model.goto(Number(row.dataset.look));
    },
  });
  const note = el("p", { className: "note" });
  const scroller = el(
    "div",
    { className: "scroller", tabIndex: 0, role: "region", "aria-label": strings.tabs.table },
    el("table", {}, head, body),
  );
  panel.append(scroller, note);
  let shown = {};
  return () => {
    const { run, t, looks } = model;
    const from = Math.max(0, Math.min(t - ROWS / 2, looks - ROWS));
    const to = Math.min(looks, from + ROWS);
    const end = model.isAsking ? t : looks;
    if (shown.run !== run || shown.from !== from || shown.end !== end) {
      const looksShown = Array.from({ length: to - from }, (_, i) => from + i);
      body.replaceChildren(...looksShown.map((look) => rowOf(run, look, look < end)));
      shown = { run, from, end };
    }
    for (const row of body.children)
      row.classList.toggle("current", Number(row.dataset.look) === t);
    note.textContent = looks > ROWS ? strings.tableNote(from + 1, to, looks) : "";
    const current = body.children[Math.min(t, looks - 1) - from];
    if (current) scroller.scrollTop = Math.max(0, current.offsetTop - scroller.clientHeight / 2);
  };
}

/** Returns the row of a look; with what it predicts only if that may be told. */
function rowOf(run, t, isTold) {
  const after = asLine(run.weights[run.used[t] + (run.wrong[t] ? 1 : 0)], run.conventions.offset);
  const withOffset = run.conventions.offset !== "none";
  const row = run.rows[t];
  const point = asLine(run.stored[row], run.conventions.offset).w;
  const example = [String(t + 1), vector(point), signed(run.labels[row])];
  const outcome = [
    number(run.scores[t]),
    run.predictions[t] ? signed(run.predictions[t]) : "—",
    run.wrong[t] ? "✗" : "✓",
    vector(withOffset ? [...after.w, after.b] : after.w),
  ];
  const cells = [...example, ...outcome.map((words) => (isTold ? words : strings.notYet))];
  const element = el(
    "tr",
    { className: isTold && run.wrong[t] ? "wrong" : "" },
    ...cells.map((textContent) => el("td", { textContent })),
  );
  element.dataset.look = t;
  return element;
}
