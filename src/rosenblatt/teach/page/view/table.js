// The tab Table: the looks around the current one.

import { asLine } from "../engine/conventions.js";
import { alphaAt } from "../engine/dual.js";
import { mistakesBefore } from "../engine/run.js";
import { grouped, number, signed, subscript, vector } from "../state/format.js";
import { el, setText } from "../../../utils/drawing/dom.js";
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
    const end = model.told;
    setText(head.rows[0].lastChild, run.kernel ? strings.alphaAfter : strings.columns.at(-1));
    if (shown.run !== run || shown.from !== from || shown.end !== end) {
      const looksShown = Array.from({ length: to - from }, (_, i) => from + i);
      const after = run.kernel ? alphaWords(run, from) : (look) => weightWords(run, look);
      body.replaceChildren(...looksShown.map((look) => rowOf(run, look, after(look), look < end)));
      shown = { run, from, end };
    }
    for (const row of body.children)
      row.classList.toggle("current", Number(row.dataset.look) === t);
    note.textContent = looks > ROWS ? strings.tableNote(from + 1, to, looks) : "";
    const current = body.children[Math.min(t, looks - 1) - from];
    if (current) scroller.scrollTop = Math.max(0, current.offsetTop - scroller.clientHeight / 2);
  };
}

/** Returns w after a look as (w1, w2, b). */
function weightWords(run, t) {
  const { offset } = run.conventions;
  const { w, b } = asLine(run.weights[mistakesBefore(run, t + 1)], offset);
  return vector(offset === "none" ? w : [...w, b]);
}

/** Returns a function of the looks from one on, in turn: the α of its row after it. */
function alphaWords(run, from) {
  const alpha = alphaAt(run, from);
  return (t) => {
    const row = run.rows[t];
    if (run.wrong[t]) alpha[row]++;
    return `α${subscript(row + 1)} = ${alpha[row]}`;
  };
}

/** Returns the row of a look; with what it predicts, and what is after it, only if that may be told. */
function rowOf(run, t, after, isTold) {
  const row = run.rows[t];
  const point = asLine(run.stored[row], run.conventions.offset).w;
  const example = [grouped(t + 1), vector(point), signed(run.labels[row])];
  const outcome = [
    number(run.scores[t]),
    run.predictions[t] ? signed(run.predictions[t]) : "—",
    run.wrong[t] ? "✗" : "✓",
    after,
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
