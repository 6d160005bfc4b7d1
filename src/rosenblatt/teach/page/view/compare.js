// The tab A | B: a second run on the same points, beside the first.

import { completeConventions, SOURCES } from "../engine/conventions.js";
import { lineAt, mistakesBefore, runPerceptron } from "../engine/run.js";
import { separate } from "../engine/separability.js";
import { drawPlane } from "../plane/draw.js";
import { averageLineOf, sceneAt } from "../plane/scene.js";
import { grouped, number } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { canvasContext, theme } from "../state/look.js";
import { hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";
import { marginOf } from "./beyond.js";

/** Builds the tab into a panel. */
export function buildCompare(model, panel) {
  const source = el("select", { id: "other-source", "aria-label": strings.compareSource });
  for (const name of Object.keys(SOURCES))
    source.append(el("option", { value: name, textContent: strings.sources[name] }));
  const order = el("select", { id: "other-order", "aria-label": strings.compareOrder });
  for (const [value, textContent] of Object.entries(strings.otherOrders))
    order.append(el("option", { value, textContent }));
  const output = el("select", { id: "other-output", "aria-label": strings.compareOutput });
  for (const [value, textContent] of Object.entries(strings.outputs))
    output.append(el("option", { value, textContent }));
  const canvas = el("canvas", {
    id: "other-plane",
    role: "img",
    "aria-label": strings.comparePlane,
  });
  const table = el("table", { id: "compared" });
  const choose = () =>
    model.set({ other: { source: source.value, order: order.value, output: output.value } });
  for (const input of [source, order, output]) input.addEventListener("change", choose);
  panel.append(
    el("div", { className: "choice other" }, el("b", { textContent: "B" }), source, order, output),
    el("div", { className: "pair" }, el("div", { className: "square" }, canvas), table),
  );
  let kept = {};
  return () => {
    const chosen = model.fields.other;
    [source.value, order.value, output.value] = [chosen.source, chosen.order, chosen.output];
    if (kept.run !== model.run || kept.chosen !== chosen)
      kept = { run: model.run, chosen, other: otherRun(model, chosen) };
    const { other } = kept;
    const t = Math.min(model.t, other.run.rows.length);
    table.replaceChildren(...compared(model, other, t, chosen.output));
    const { context, width } = canvasContext(canvas); // its size is what the table leaves
    if (width > 30) {
      const fields = {
        ...model.fields,
        beyond: "none",
        proofShown: false,
        selected: null,
        dragging: false,
      };
      const scene = sceneAt({ ...other, t, fields });
      if (chosen.output === "average")
        scene.extra.push({ line: averageLineOf(other.run), kind: "average" });
      drawPlane(context, width, scene, theme(), strings);
    }
  };
}

function otherRun({ fields }, { source, order }) {
  const conventions = completeConventions(SOURCES[source]);
  const rows = fields.points.map((_, row) => row);
  const orders = {
    same: fields.order,
    reversed: rows.slice().reverse(),
    shuffled: "shuffled",
    sorted: rows.slice().sort((a, b) => fields.labels[a] - fields.labels[b]),
  };
  const run = runPerceptron(fields.points, fields.labels, conventions, orders[order]);
  return { run, found: separate(fields.points, fields.labels, conventions) };
}

/** Returns the rows of the table: the two runs in numbers. */
function compared(model, other, t, output) {
  const marginWords = (run, line) =>
    Math.hypot(...line.w) && run.labels.length ? number(marginOf(run, line)) : "—";
  const lastOf = (run) => lineAt(run, run.rows.length);
  const lineOf = (run, kind) => (kind === "average" ? averageLineOf(run) : lastOf(run));
  const rows = [
    [strings.compareNow, mistakesBefore(model.run, model.t), mistakesBefore(other.run, t)],
    [strings.compareAll, model.run.weights.length - 1, other.run.weights.length - 1],
    [strings.compareLooks, model.run.rows.length, other.run.rows.length],
  ];
  const verdicts = [
    [strings.compareEnd, strings.ends[model.run.status], strings.ends[other.run.status]],
    [strings.compareBound, model.found.bound ?? "—", other.found.bound ?? "—"],
    [
      strings.compareMargin,
      marginWords(model.run, lastOf(model.run)),
      marginWords(other.run, lineOf(other.run, output)),
    ],
  ];
  const head = el(
    "thead",
    {},
    el(
      "tr",
      {},
      el("td"),
      el("th", { scope: "col", textContent: "A" }),
      el("th", { scope: "col", textContent: "B" }),
    ),
  );
  const shown = hidesVerdict(model.fields) ? rows : [...rows, ...verdicts];
  const body = shown.map(([name, a, b]) =>
    el(
      "tr",
      {},
      el("th", { scope: "row", textContent: name }),
      el("td", { textContent: grouped(a) }),
      el("td", { textContent: grouped(b) }),
    ),
  );
  return [head, el("tbody", {}, ...body)];
}
