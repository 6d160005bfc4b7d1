// Recent examples, the newest first, with buttons that correct their labels.

import { el, setText } from "../../../utils/drawing/dom.js";
import { ask, modelPath } from "../state/api.js";
import { weight } from "../state/format.js";
import { strings } from "../strings.js";
import { card } from "./card.js";
import { showFault } from "./messages.js";

const BUTTONS = 3; // other labels that have a button each; more are a list to choose from

/** Returns the card of the recent examples. */
export function examplesCard() {
  const list = el("ol", { className: "examples" });
  const empty = el("p", { className: "note", textContent: strings.noExamples });
  const { element, setNote } = card("recent", strings.recent, strings.recentNote, empty, list);
  const shown = new Map();
  let model = null;
  const update = (facts) => {
    if (facts.model.name !== model) shown.clear();
    model = facts.model.name;
    const held = shown.size > 0 && list.matches(":hover, :focus-within");
    setNote(held ? strings.held : facts.learns ? strings.recentNote : "");
    empty.hidden = facts.recent.length > 0;
    empty.textContent = facts.reads ? strings.noExamples : strings.readsNothing;
    if (held && facts.recent.length) return;
    const labels = facts.model.labels.map(([label]) => label).filter(isExact);
    const key = JSON.stringify(labels);
    for (const example of facts.recent) {
      const known = shown.get(example.version);
      if (!known || (known.key !== key && !known.done)) {
        shown.set(example.version, row(facts, example, labels, key));
      }
    }
    const versions = new Set(facts.recent.map((example) => example.version));
    for (const version of [...shown.keys()]) if (!versions.has(version)) shown.delete(version);
    place(list, facts.recent.map((example) => shown.get(example.version).element));
  };
  return { element, update };
}

/** Puts rows into the list, and moves none that stays where it is. */
function place(list, rows) {
  const same = rows.length === list.children.length && rows.every((r, i) => r === list.children[i]);
  if (!same) list.replaceChildren(...rows);
}

/** Returns true for a label that JavaScript's numbers hold. */
function isExact(label) {
  return typeof label !== "number" || Number.isSafeInteger(label);
}

function row(facts, example, labels, key) {
  const { version, label, was_right: right } = example;
  const outcome = el("span", { className: "outcome" });
  const made = { key, done: false, element: null };
  const correct = async (other, controls) => {
    made.element.focus(); // a disabled control loses the focus, and with it the list would go on
    for (const control of controls) control.disabled = true;
    try {
      const learned = await learnAs(facts.model.name, version, other);
      made.done = true;
      setText(outcome, strings.corrected(other, learned.version));
      for (const control of controls) control.hidden = true;
    } catch (error) {
      showFault(error.message);
      for (const control of controls) control.disabled = false;
    }
  };
  const others = labels.filter((other) => other !== label);
  made.element = el(
    "li",
    { tabIndex: -1 },
    el("span", {
      className: right ? "mark good" : "mark bad",
      role: "img",
      "aria-label": right ? strings.right : strings.wrong,
      title: right ? strings.right : strings.wrong,
      textContent: right ? "✓" : "✗",
    }),
    el("span", { className: "chip", textContent: String(label) }),
    el("span", { className: "values", textContent: words(example) }),
    el("span", { className: "version", textContent: `#${version}`, title: strings.version(version) }),
    el("span", { className: "correct" }, ...(facts.learns ? controls(version, others, correct) : [])),
    outcome,
  );
  return made;
}

/** Returns what corrects an example: a button for each other label, or a list of many. */
function controls(version, others, correct) {
  if (others.length > BUTTONS) {
    const choice = el(
      "select",
      { "aria-label": strings.correctChoice(version) },
      el("option", { value: "", textContent: strings.choose }),
      ...others.map((label, i) => el("option", { value: String(i), textContent: String(label) })),
    );
    choice.addEventListener("change", () => {
      if (choice.value !== "") correct(others[Number(choice.value)], [choice]);
    });
    return [choice];
  }
  const buttons = others.map((label) =>
    el("button", {
      type: "button",
      textContent: String(label),
      "aria-label": strings.correctWords(label, version),
      onclick: () => correct(label, buttons),
    }),
  );
  return buttons;
}

/** Lets the model learn an example with another label. */
async function learnAs(name, version, label) {
  const { features, weight: times } = await ask("GET", `${modelPath(name)}/versions/${version}`);
  return ask("POST", `${modelPath(name)}/learn`, { features, label, weight: times });
}

function words({ text, values, more }) {
  const parts =
    text !== null
      ? [text]
      : values.map(([name, value]) => (value === 1 ? name : `${name} ${weight(value)}`));
  return more ? `${parts.join(" · ")} … ${strings.more(more)}` : parts.join(" · ");
}
