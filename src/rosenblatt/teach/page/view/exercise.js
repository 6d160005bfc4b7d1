// The tab Exercises: one look by hand, checked; and challenges with records.

import { DEFAULTS } from "../engine/conventions.js";
import { lineAt, runPerceptron } from "../engine/run.js";
import { separate } from "../engine/separability.js";
import { number, scoreTerms, signed, vector } from "../state/format.js";
import { el } from "../../../utils/drawing/dom.js";
import { hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";
import { CHALLENGES, keepRecords, readRecords } from "./challenges.js";

const POINTS = 6;
const FURTHEST = 5;

/** Builds the tab into a panel. */
export function buildExercise(model, panel) {
  const start = el("button", {
    id: "new-exercise",
    className: "main",
    textContent: strings.newExercise,
    onclick: () => begin(model),
  });
  const question = el("p", { className: "question" });
  const boxes = ["score", "verdict", "w1", "w2", "b"].map((name) => boxOf(name));
  const form = el(
    "form",
    { className: "boxes" },
    ...boxes.map(({ label }) => label),
    el("button", { id: "check", textContent: strings.check }),
  );
  const result = el("p", { id: "result", role: "status" });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    check(model, boxes, result);
  });
  const list = el("ul", { id: "challenges" });
  const hint = el("p", { className: "note", textContent: strings.challengesHint });
  panel.append(
    el("div", { className: "row" }, start, question),
    form,
    result,
    el("h3", { textContent: strings.challenges }),
    list,
    hint,
  );
  let shown = null;
  return () => {
    const { exercise } = model.fields;
    const open = exercise > 0 && model.t < model.looks;
    form.hidden = !open;
    const look = `${exercise}:${model.t}`;
    if (look !== shown) {
      for (const { input } of boxes) {
        input.value = "";
        input.classList.remove("wrong-box", "right-box");
      }
      if (!result.classList.contains("good") || !open) result.textContent = "";
      shown = look;
    }
    question.textContent = open ? questionOf(model) : "";
    const withOffset = model.run.conventions.offset !== "none";
    boxes[4].label.hidden = !withOffset;
    const counts = model.isOwn && !hidesVerdict(model.fields); // they would tell the verdict
    if (counts) keepRecords(model);
    const records = readRecords();
    list.replaceChildren(
      ...CHALLENGES.map(({ name, measure }) =>
        challengeOf(name, counts ? measure(model) : null, records[name]),
      ),
    );
    hint.hidden = model.isOwn;
  };
}

function boxOf(name) {
  const input =
    name === "verdict"
      ? el(
          "select",
          { id: `box-${name}` },
          ...["", "mistake", "right"].map((value) =>
            el("option", { value, textContent: value ? strings[value] : "?" }),
          ),
        )
      : el("input", {
          id: `box-${name}`,
          type: "text",
          inputMode: "decimal",
          autocomplete: "off",
          size: 4,
        });
  return {
    name,
    input,
    label: el("label", {}, el("span", { textContent: strings.boxes[name] }), input),
  };
}

function challengeOf(name, value, record) {
  const text = strings.challengeTexts[name];
  const words = record === undefined ? strings.noRecord : strings.record(text.value(record));
  return el(
    "li",
    {},
    el("b", { textContent: text.title }),
    ` ${value === null ? "" : strings.now(text.value(value))} · ${words}`,
  );
}

/** Draws random integer data that a line separates. */
export function randomExample(random = Math.random) {
  for (;;) {
    const whole = () => Math.floor(random() * (2 * FURTHEST + 1)) - FURTHEST;
    const points = Array.from({ length: POINTS }, () => [whole(), whole()]);
    const [w, b] = [[whole(), whole()], whole()];
    const labels = points.map(([x, y]) => (w[0] * x + w[1] * y + b > 0 ? 1 : -1));
    const apart = new Set(points.map(String)).size === POINTS && new Set(labels).size === 2;
    if (!apart || !separate(points, labels, DEFAULTS).separable) continue;
    const mistakes = runPerceptron(points, labels, DEFAULTS).weights.length - 1;
    if (mistakes >= 3 && mistakes <= 9) return { points, labels };
  }
}

function begin(model) {
  const count = model.fields.exercise + 1;
  model.load({
    ...randomExample(),
    conventions: model.fields.conventions,
    tab: "exercise",
    exercise: count,
    asking: false,
    beyond: "none",
  });
}

function questionOf({ run, t, fields }) {
  const row = run.rows[t];
  const { w, b } = lineAt(run, t);
  const offset = run.conventions.offset === "none" ? "" : strings.askOffset(number(b));
  return strings.question(
    t + 1,
    vector(fields.points[row]),
    signed(run.labels[row]),
    vector(w),
    offset,
  );
}

/** Checks the boxes in order; marks the first wrong one, with its arithmetic. */
function check(model, boxes, result) {
  const { run, t, fields } = model;
  const row = run.rows[t];
  const line = lineAt(run, t);
  const after = lineAt(run, t + 1);
  const withOffset = run.conventions.offset !== "none";
  const wrong = run.wrong[t];
  const step = `${run.labels[row] > 0 ? "+" : "−"} ${run.conventions.eta === 1 ? "" : `${number(run.conventions.eta)}·`}${vector(fields.points[row])}`;
  const update = wrong ? `${vector(line.w)} ${step} = ${vector(after.w)}` : strings.unchanged;
  const right = {
    score: [
      run.scores[t],
      `w·x${withOffset ? " + b" : ""} = ${scoreTerms(line, fields.points[row], withOffset)} = ${number(run.scores[t])}`,
    ],
    verdict: [
      wrong ? "mistake" : "right",
      strings.whyVerdict(number(run.scores[t]), signed(run.labels[row]), wrong),
    ],
    w1: [after.w[0], update],
    w2: [after.w[1], update],
    b: [after.b, wrong ? strings.whyOffset(number(after.b)) : strings.unchanged],
  };
  const asked = boxes.filter(({ name }) => withOffset || name !== "b");
  for (const { input } of boxes) input.classList.remove("wrong-box", "right-box");
  for (const { name, input } of asked) {
    const [value, why] = right[name];
    const text = input.value.replace("−", "-").trim();
    const same =
      name === "verdict" ? text === value : text !== "" && Math.abs(Number(text) - value) < 1e-9;
    input.classList.add(same ? "right-box" : "wrong-box");
    if (same) continue;
    result.className = "bad";
    result.textContent = why;
    input.focus();
    return;
  }
  result.className = "good";
  result.textContent = t + 1 < model.looks ? strings.allRight : strings.allDone;
  model.goto(t + 1);
}
