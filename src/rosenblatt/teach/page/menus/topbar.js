// The top bar and the tools beside the plane.

import { sourceOf } from "../engine/conventions.js";
import { byId, el } from "../../../utils/drawing/dom.js";
import { EXAMPLES, exampleOf } from "../state/examples.js";
import { isTrue } from "../state/grid.js";
import { icon } from "../state/icons.js";
import { READY } from "../lessons/ready.js";
import { strings } from "../strings.js";
import { removeSelected } from "../plane/editing.js";
import { menu } from "./menu.js";
import { signList, signsNow } from "./signs.js";

/** Builds the choice of examples, and the buttons of the bar. */
export function buildTopbar(model, act) {
  const points = el("select", { id: "examples", "aria-label": strings.points });
  points.append(el("option", { value: "", textContent: strings.ownPoints }));
  for (const [value, textContent] of Object.entries(strings.examples))
    points.append(el("option", { value, textContent }));
  points.addEventListener("change", () => {
    const { value } = points;
    if (value) act.load({ ...exampleOf(value), conventions: model.fields.conventions });
  });
  const button = (id, textContent, run, title = textContent) =>
    el("button", { id, textContent, title, onclick: run });
  const views = Object.entries(strings.beyond).map(([name, words]) => ({
    id: `view-${name}`,
    words,
    run: () => act.beyond(name),
  }));
  const tab = (name) => ({
    id: `open-${name}`,
    words: strings.tabs[name],
    run: () => act.tab(name),
  });
  const lessons = Object.entries(strings.readyTitles).map(([name, words]) => ({
    id: `ready-${name}`,
    words,
    run: () => act.openLesson(READY[name]),
  }));
  const menus = [
    menu("lessons-menu", strings.ready, lessons),
    menu("beyond-menu", strings.beyondTitle, views),
    menu("more-menu", strings.more, [
      { id: "more-conventions", words: strings.conventions, run: act.conventions, phone: true },
      { id: "open-tour", words: strings.tour, run: act.tour },
      tab("compare"),
      tab("exercise"),
      tab("lesson"),
      { id: "save-png", words: strings.savePng, run: act.savePng },
      { id: "save-svg", words: strings.saveSvg, run: act.saveSvg },
      { id: "print", words: strings.print, run: () => print() },
      { id: "embed-link", words: strings.embed, run: act.shareEmbed },
      { id: "more-share", words: strings.share, run: act.share, phone: true },
      { id: "more-help", words: strings.help, run: act.help, phone: true },
      { id: "more-projector", words: strings.projector, run: act.projector, phone: true },
    ]),
  ];
  byId("bar").append(
    el("strong", { className: "brand", textContent: strings.brand }),
    points,
    el("div", { id: "dots" }),
    el("span", { className: "space" }),
    button("open-conventions", strings.conventions, act.conventions, strings.conventionsTitle),
    el("div", { id: "menus" }, ...menus.map(({ box }) => box)),
    button("share", strings.share, act.share, strings.shareTitle),
    button("projector", strings.projector, act.projector, strings.projectorTitle),
    button("help", "?", act.help, strings.helpTitle),
  );
  return () => {
    points.value = exampleNameOf(model.fields) ?? "";
    lock(points, model.isLocked("examples"));
    lock(byId("open-conventions"), model.isLocked("conventions"), strings.conventionsTitle);
    byId("projector").setAttribute("aria-pressed", String(model.fields.projector));
    lock(menus[0].button, model.isLocked("examples"));
    for (const { button } of menus.slice(1)) lock(button, model.isLocked("more"));
    const isOpen = (name) => READY[name].title === model.fields.lesson.title;
    const chosen = Object.keys(READY).filter(isOpen).map((name) => `ready-${name}`);
    chosen.push(`view-${model.fields.beyond}`);
    for (const item of menus.flatMap(({ items }) => items))
      item.setAttribute("aria-checked", String(chosen.includes(item.id)));
  };
}

/** Locks a control, or frees it; the title says why it is locked. */
function lock(control, isLocked, title = "") {
  control.disabled = isLocked;
  control.title = isLocked ? strings.lockedHere : title;
}

function exampleNameOf({ points, labels }) {
  const text = JSON.stringify(points.map(([x, y], i) => [x, y, labels[i]]));
  const found = Object.entries(EXAMPLES).find(([, rows]) => JSON.stringify(rows) === text);
  return found ? found[0] : null;
}

/** Builds the tools beside the plane, and the notes on its conventions. */
export function buildTools(model, act) {
  const tools = byId("tools");
  const mode = (value, title, name) => {
    const run = () => model.set({ tool: value, selected: value ? null : model.fields.selected });
    return el(
      "button",
      { id: `tool-${name}`, className: `tool ${name}`, title, "aria-label": title, onclick: run },
      icon(name),
    );
  };
  const modes = [
    [-1, mode(-1, strings.addNegative, "negative")],
    [1, mode(1, strings.addPositive, "positive")],
    [0, mode(0, strings.move, "move")],
  ];
  const tool = (id, name, title, run) =>
    el(
      "button",
      { id, className: "tool plain", title, "aria-label": title, onclick: run },
      icon(name),
    );
  const plain = [
    tool("remove", "remove", strings.remove, () => removeSelected(model)),
    tool("undo", "undo", strings.undo, () => model.undo()),
    tool("redo", "redo", strings.redo, () => model.redo()),
    tool("clear", "clear", strings.clear, () =>
      model.replace({ points: [], labels: [] }),
    ),
    tool("as-text", "list", strings.asText, act.asText),
    tool("fit", "fit", strings.fit, () => model.fit()),
  ];
  const notes = el("div", { id: "notes" });
  tools.append(
    el(
      "div",
      { className: "palette", role: "group" },
      ...modes.map(([, element]) => element),
      ...plain,
    ),
    notes,
  );
  return () => {
    const { fields } = model;
    const locked = model.isLocked("editing");
    for (const [value, element] of modes) {
      element.setAttribute("aria-pressed", String(fields.tool === value));
      lock(element, locked, element.ariaLabel);
    }
    for (const element of plain) lock(element, locked && element.id !== "fit", element.ariaLabel);
    byId("undo").disabled = locked || model.past.length === 0;
    byId("redo").disabled = locked || model.future.length === 0;
    byId("remove").disabled = locked || fields.selected === null;
    notes.replaceChildren(
      signList(signsNow(model)),
      ...legendOf(fields),
      ...noteWords(fields).map((textContent) => el("p", { textContent })),
    );
  };
}

/** Returns the names of the classes, each beside its mark. */
function legendOf({ classes }) {
  return ["negative", "positive"].flatMap((sign, k) =>
    classes[k] === ""
      ? []
      : [
          el(
            "p",
            { className: "legend", title: classes[k] },
            el("span", { className: `mark ${sign}` }, icon(sign)),
            el("span", { textContent: classes[k] }),
          ),
        ],
  );
}

function noteWords({ conventions, order, grid }) {
  const { tie, offset, pick, eta } = conventions;
  const walk =
    pick === "every"
      ? strings.orderNote[Array.isArray(order) ? "own" : order]
      : strings.picks[pick];
  const source = sourceOf(conventions);
  const rate = eta === 1 ? [] : [`η = ${eta}`];
  return [
    strings.tieNote(tie),
    strings.offsetNote(offset),
    ...rate,
    walk,
    ...(source && source !== "kernels" ? [strings.sources[source]] : []),
    ...(isTrue(grid) ? [] : [strings.ownScales]),
  ];
}
