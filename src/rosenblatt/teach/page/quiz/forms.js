// The inputs of each question of an exercise.

import { readFraction, twoNumbers } from "../state/numbers.js";
import { signed } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";
import { pointWords } from "./exact.js";
import { linesNow } from "./plane.js";

/**
 * @typedef {object} Form
 * @property {HTMLElement} element
 * @property {HTMLElement} first the input that gets the focus
 * @property {function(): {value: *}|{fault: string, input: HTMLElement}} read the answer, or what is wrong with it
 * @property {function(): void} show shows what is chosen in the plane
 * @property {function(string[]): void} mark marks the boxes that are wrong, the others as right
 */

const FORMS = { line: lineForm, weights: weightsForm, breaks: breaksForm, left: leftForm };

/** Returns the inputs of a question at the look of a model. @returns {Form} */
export function formOf(model, question) {
  return FORMS[question](model);
}

function lineForm(model) {
  const lines = linesNow(model);
  const choices = lines.map(({ letter, words, isDrawn }, k) => {
    const input = el("input", { type: "radio", name: "candidate", id: `candidate-${letter}` });
    input.addEventListener("change", () => model.set({ picked: [k] }));
    const where = el("span", { className: isDrawn ? "unseen" : "where-line", textContent: ` ${words}` });
    return { input, label: el("label", { className: "pick" }, input, el("b", { textContent: letter }), where) };
  });
  const inputs = choices.map(({ input }) => input);
  return {
    ...pickForm(model, choices),
    read() {
      const [value] = model.fields.picked;
      return value === undefined ? { fault: strings.chooseOne, input: inputs[0] } : { value };
    },
  };
}

function breaksForm(model) {
  const { points, labels } = model.fields;
  const choices = points.map((point, row) => {
    const input = el("input", { type: "checkbox", id: `breaks-${row}` });
    input.addEventListener("change", () => pickRow(model, row));
    const label = el("b", {
      className: labels[row] > 0 ? "positive" : "negative",
      textContent: ` ${signed(labels[row])}`,
    });
    return { input, label: el("label", { className: "pick" }, input, pointWords(point), label) };
  });
  return { ...pickForm(model, choices), read: () => ({ value: model.fields.picked }) };
}

/** Chooses a point, or takes the choice back. */
export function pickRow(model, row) {
  const { picked } = model.fields;
  const others = picked.filter((other) => other !== row);
  model.set({ picked: others.length < picked.length ? others : [...picked, row] });
}

/** Returns the inputs of a choice in the plane, which are the model's `picked`. */
function pickForm(model, choices) {
  return {
    element: el("div", { className: "picks" }, ...choices.map(({ label }) => label)),
    first: choices[0].input,
    show: () => choices.forEach(({ input }, k) => (input.checked = model.fields.picked.includes(k))),
    mark: () => {},
  };
}

function weightsForm(model) {
  const names = ["score", "verdict", "w1", "w2", ...(model.run.conventions.offset === "none" ? [] : ["b"])];
  return boxForm(names.map(boxOf), (values) =>
    Object.fromEntries(values.map((value, k) => [names[k], value])),
  );
}

function leftForm() {
  return boxForm([boxOf("left")], ([value]) => value);
}

function boxForm(boxes, together) {
  return {
    element: el("div", { className: "boxes" }, ...boxes.map(({ label }) => label)),
    first: boxes[0].input,
    read() {
      const values = boxes.map(({ name, input: { value } }) => {
        if (name === "verdict") return value || null;
        return twoNumbers(value) ? null : readFraction(value);
      });
      const empty = values.indexOf(null);
      if (empty < 0) return { value: together(values) };
      const { name, input } = boxes[empty];
      if (name === "verdict") return { fault: strings.chooseOne, input };
      const two = twoNumbers(input.value);
      return { fault: two ? strings.twoNumbers(...two) : strings.noNumber, input };
    },
    show: () => {},
    mark(wrong) {
      for (const { name, input } of boxes) {
        const isWrong = wrong.includes(name);
        input.classList.toggle("wrong-box", isWrong);
        input.classList.toggle("right-box", !isWrong);
        input.setAttribute("aria-invalid", String(isWrong));
      }
      boxes.find(({ name }) => wrong.includes(name)).input.focus();
    },
  };
}

function boxOf(name) {
  const verdicts = ["", "mistake", "right"].map((value) =>
    el("option", { value, textContent: value ? strings[value] : "?" }),
  );
  const look = { id: `box-${name}`, type: "text", inputMode: "text", autocomplete: "off", size: 4 };
  const input = name === "verdict" ? el("select", { id: `box-${name}` }, ...verdicts) : el("input", look);
  return { name, input, label: el("label", {}, el("span", { textContent: strings.boxes[name] }), input) };
}
