// The tab Lesson: states in a numbered list, with notes and with hidden or locked controls.

import { packState } from "../state/address.js";
import { byId, el } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";

/** Builds the tab into a panel; `act` has open(k), share() and save(). */
export function buildLesson(model, panel, act) {
  const title = el("input", {
    id: "lesson-title",
    type: "text",
    placeholder: strings.lessonTitle,
    "aria-label": strings.lessonTitle,
  });
  title.addEventListener("change", () => setLesson(model, { title: title.value }));
  const note = el("textarea", {
    id: "state-note",
    rows: 2,
    placeholder: strings.notePlaceholder,
    "aria-label": strings.note,
  });
  note.addEventListener("input", () => changeHere(model, { note: note.value }));
  const boxes = el("div", { className: "checks" });
  const box = (kind, name) => {
    const input = el("input", { type: "checkbox", id: `${kind}-${name}` });
    input.addEventListener("change", () => {
      const others = model.fields[kind].filter((other) => other !== name);
      changeHere(model, { [kind]: input.checked ? [...others, name] : others });
    });
    return { kind, name, input, label: el("label", {}, input, ` ${strings[kind][name]}`) };
  };
  const checks = ["hidden", "locked"].flatMap((kind) =>
    Object.keys(strings[kind]).map((name) => box(kind, name)),
  );
  for (const kind of ["hidden", "locked"]) {
    const members = checks.filter((check) => check.kind === kind).map(({ label }) => label);
    boxes.append(
      el("fieldset", {}, el("legend", { textContent: strings[`${kind}Title`] }), ...members),
    );
  }
  const list = el("ol", { id: "states" });
  const button = (id, words, run, className = "small") =>
    el("button", { id, className, textContent: words, onclick: run });
  panel.append(
    title,
    list,
    el(
      "div",
      { className: "row" },
      button("add-state", strings.addState, () => addState(model), "main"),
      button("update-state", strings.updateState, () => updateState(model)),
      button("remove-state", strings.removeState, () => removeState(model)),
    ),
    note,
    boxes,
    el(
      "div",
      { className: "row" },
      button("share-lesson", strings.shareLesson, act.share),
      button("save-lesson", strings.saveLesson, act.save),
    ),
  );
  return () => {
    const { lesson, note: words } = model.fields;
    if (document.activeElement !== title) title.value = lesson.title;
    if (document.activeElement !== note) note.value = words;
    for (const { kind, name, input } of checks) input.checked = model.fields[kind].includes(name);
    byId("update-state").disabled = byId("remove-state").disabled = lesson.at < 0;
    list.replaceChildren(
      ...lesson.states.map((state, k) =>
        el(
          "li",
          {},
          el("button", {
            className: "small",
            "aria-current": k === lesson.at ? "step" : "false",
            textContent: state.note?.split("\n")[0] || strings.stateName(k + 1),
            onclick: () => act.open(k),
          }),
        ),
      ),
    );
  };
}

function setLesson(model, patch) {
  model.set({ lesson: { ...model.fields.lesson, ...patch } });
}

/** Changes a field of the state, and of its copy in the lesson. */
function changeHere(model, patch) {
  model.set(patch);
  if (model.fields.lesson.at >= 0) updateState(model);
}

function addState(model) {
  const { states, at } = model.fields.lesson;
  const next = [...states.slice(0, at + 1), packState(model.fields), ...states.slice(at + 1)];
  setLesson(model, { states: next, at: at + 1 });
}

function updateState(model) {
  const { states, at } = model.fields.lesson;
  setLesson(model, {
    states: states.map((state, k) => (k === at ? packState(model.fields) : state)),
  });
}

function removeState(model) {
  const { states, at } = model.fields.lesson;
  const left = states.filter((_, k) => k !== at);
  setLesson(model, { states: left, at: Math.min(at, left.length - 1) });
}

/** Builds the dots of the bar and the note of the state. */
export function buildDots(model, open) {
  const dots = byId("dots");
  const note = byId("lesson-note");
  return () => {
    const { lesson, note: words } = model.fields;
    if (dots.children.length !== lesson.states.length) {
      dots.replaceChildren(
        ...lesson.states.map((_, k) => el("button", { className: "dot", onclick: () => open(k) })),
      );
    }
    [...dots.children].forEach((dot, k) => {
      const name = `${strings.stateName(k + 1)}${lesson.states[k].note ? `: ${lesson.states[k].note.split("\n")[0]}` : ""}`;
      dot.setAttribute("aria-label", name);
      dot.title = name;
      dot.setAttribute("aria-current", k === lesson.at ? "step" : "false");
    });
    note.hidden = words === "";
    if (note.textContent !== words)
      note.replaceChildren(...words.split("\n").map((textContent) => el("p", { textContent })));
  };
}
