// The drawer of the conventions: presets named after their sources, and every choice.

import {
  CHOICES,
  completeConventions,
  DEFAULTS,
  SOURCES,
  sourceOf,
} from "../engine/conventions.js";
import { LimitError } from "../engine/limits.js";
import { byId, el } from "../../../utils/drawing/dom.js";
import { cellsOf, readDecimal } from "../state/numbers.js";
import { strings } from "../strings.js";
import { say } from "./dialogs.js";

/** Builds the drawer; returns the function that renders it. */
export function buildConventions(model) {
  const drawer = el("aside", { id: "drawer", hidden: true, "aria-labelledby": "drawer-title" });
  const close = () => model.set({ drawer: false });
  const presets = el("div", {
    className: "presets",
    role: "group",
    "aria-label": strings.sourcesTitle,
  });
  for (const name of Object.keys(SOURCES)) {
    presets.append(
      el(
        "button",
        { id: `source-${name}`, onclick: () => takeSource(model, name) },
        el("b", { textContent: strings.sources[name] }),
        el("span", { textContent: strings.sourceNotes[name] }),
      ),
    );
  }
  const fields = fieldsOf(model);
  drawer.append(
    el("h2", { id: "drawer-title", textContent: strings.conventions }),
    el("button", {
      className: "close",
      "aria-label": strings.close,
      title: strings.close,
      textContent: "✕",
      onclick: close,
    }),
    presets,
    el(
      "div",
      { className: "fields" },
      ...fields.map(({ label, input }) =>
        el("label", {}, el("span", { textContent: label }), input),
      ),
    ),
    el("p", { className: "note", textContent: strings.limits }),
  );
  byId("right").append(drawer);
  return () => {
    const { conventions, drawer: open } = model.fields;
    const shown = Boolean(open) && !model.isLocked("conventions");
    if (shown && drawer.hidden) setTimeout(() => drawer.querySelector("button").focus());
    drawer.hidden = !shown;
    byId("open-conventions").setAttribute("aria-expanded", String(shown));
    if (!shown) return;
    const source = sourceOf(conventions);
    for (const button of presets.children)
      button.setAttribute("aria-pressed", String(button.id === `source-${source}`));
    for (const { input, read } of fields)
      if (document.activeElement !== input) input.value = read();
  };
}

function takeSource(model, name) {
  change(model, { ...SOURCES[name] }, { order: "cyclic" });
}

/** Takes changed conventions; impossible ones are told and not taken. */
function change(model, patch, rest = {}) {
  try {
    const conventions = completeConventions({ ...model.fields.conventions, ...patch });
    model.set({ conventions, t: 0, asking: false, ...rest });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const beyond = error instanceof LimitError;
    say(beyond ? strings.beyondLimits(error.value) : strings.badConvention, true);
  }
}

function fieldsOf(model) {
  const select = (name, values, words) => {
    const input = el("select", { id: `set-${name}` });
    values.forEach((value) => input.append(el("option", { value, textContent: words[value] })));
    const asValue = (text) => values.find((value) => String(value) === text);
    input.addEventListener("change", () => change(model, { [name]: asValue(input.value) }));
    return {
      label: strings.conventionLabels[name],
      input,
      read: () => String(model.fields.conventions[name]),
    };
  };
  return [
    select("tie", CHOICES.tie, strings.ties),
    select("offset", CHOICES.offset, strings.offsets),
    numberField(model),
    startField(model),
    orderField(model),
    select("pick", CHOICES.pick, strings.picks),
    select("stop", CHOICES.stop, strings.stops),
    seedField(model),
  ];
}

function numberField(model) {
  const input = el("input", { id: "set-eta", type: "text", inputMode: "decimal", autocomplete: "off" });
  input.addEventListener("change", () => change(model, { eta: readDecimal(input.value) }));
  return {
    label: strings.conventionLabels.eta,
    input,
    read: () => String(model.fields.conventions.eta),
  };
}

function startField(model) {
  const input = el("input", { id: "set-start", type: "text", spellcheck: false });
  input.addEventListener("change", () => {
    const values = cellsOf(input.value.replace(/[()]/g, " "), [2, 3]).map(Number);
    const start = values.length === 2 ? [...values, 0] : values;
    change(model, { start: start.every((value) => value === 0) ? DEFAULTS.start : start });
  });
  const read = () => (model.fields.conventions.start ?? [0, 0, 0]).join(", ");
  return { label: strings.conventionLabels.start, input, read };
}

function orderField(model) {
  const input = el("select", { id: "set-order" });
  for (const value of ["cyclic", "shuffled", "own"])
    input.append(el("option", { value, textContent: strings.orderNote[value] }));
  input.addEventListener("change", () => {
    if (input.value !== "own") model.set({ order: input.value, t: 0 });
    else model.set({ order: model.fields.points.map((_, row) => row).reverse(), t: 0 });
  });
  return {
    label: strings.conventionLabels.order,
    input,
    read: () => (Array.isArray(model.fields.order) ? "own" : model.fields.order),
  };
}

function seedField(model) {
  const input = el("input", { id: "set-seed", type: "number", min: 0, step: 1 });
  input.addEventListener("change", () =>
    change(model, { seed: Math.max(0, Math.floor(Number(input.value) || 0)) }),
  );
  return {
    label: strings.conventionLabels.seed,
    input,
    read: () => String(model.fields.conventions.seed),
  };
}
