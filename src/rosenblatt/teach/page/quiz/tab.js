// The tab Exercises: predict each look, then see it; the answers as a file; challenges with records.

import { DEFAULTS } from "../engine/conventions.js";
import { runPerceptron } from "../engine/run.js";
import { separate } from "../engine/separability.js";
import { fileNameOf, offerFile } from "../menus/pictures.js";
import { el, setText } from "../../../utils/drawing/dom.js";
import { hidesVerdict, isExercise, UNANSWERED } from "../state/model.js";
import { strings } from "../strings.js";
import { answersAsCsv, answersAsJson, readAnswers } from "./answers.js";
import { CHALLENGES, keepRecords, readRecords } from "./challenges.js";
import { formOf } from "./forms.js";
import { beginExercise, endExercise, giveAnswer, openQuestion, rightAnswer, wrongBoxes } from "./quiz.js";
import { factsAsked } from "./told.js";

const POINTS = 6;
const FURTHEST = 5;

/** Builds the tab into a panel. */
export function buildExercise(model, panel) {
  model.set({ answers: readAnswers() });
  const parts = [buildStart, buildRound, buildAnswers, buildChallenges].map((build) => build(model, panel));
  return () => parts.forEach((draw) => draw());
}

/** Builds the choice of questions, and the buttons that begin an exercise. */
function buildStart(model, panel) {
  const choice = el(
    "select",
    { id: "quiz-questions" },
    ...Object.entries(strings.questions).map(([value, textContent]) => el("option", { value, textContent })),
  );
  const fresh = el("button", { id: "new-exercise", className: "main", textContent: strings.newExercise });
  fresh.addEventListener("click", () => {
    const { conventions } = model.fields;
    model.load({ ...randomExample(conventions), conventions });
    beginExercise(model, choice.value);
  });
  const own = el("button", { id: "these-exercise", textContent: strings.theseExercise });
  own.addEventListener("click", () => {
    model.goto(0);
    beginExercise(model, choice.value);
  });
  const start = el(
    "div",
    { className: "start" },
    el("p", { className: "lead", textContent: strings.exerciseHint }),
    el("label", {}, el("span", { textContent: `${strings.questionsLabel} ` }), choice),
    el("div", { className: "row" }, fresh, own),
  );
  panel.append(start);
  return () => {
    const hadFocus = start.hidden && panel.contains(document.activeElement);
    start.hidden = isExercise(model.fields);
    if (hadFocus && !start.hidden) fresh.focus({ preventScroll: true });
    own.disabled = model.fields.points.length === 0;
  };
}

/** Draws random integer data that a line separates, through the origin where there is no offset. */
function randomExample({ offset }, random = Math.random) {
  const conventions = { ...DEFAULTS, offset };
  for (;;) {
    const whole = () => Math.floor(random() * (2 * FURTHEST + 1)) - FURTHEST;
    const points = Array.from({ length: POINTS }, () => [whole(), whole()]);
    const [w, b] = [[whole(), whole()], offset === "none" ? 0 : whole()];
    const labels = points.map(([x, y]) => (w[0] * x + w[1] * y + b > 0 ? 1 : -1));
    const apart = new Set(points.map(String)).size === POINTS && new Set(labels).size === 2;
    if (!apart || !separate(points, labels, conventions).separable) continue;
    const mistakes = runPerceptron(points, labels, conventions).weights.length - 1;
    if (mistakes >= 3 && mistakes <= 9) return { points, labels };
  }
}

/** Builds the open question, and what is told after its answer. */
function buildRound(model, panel) {
  const place = el("b");
  const facts = el("p", { id: "quiz-facts", className: "facts" });
  const end = el("button", { id: "end-exercise", className: "small", textContent: strings.endExercise });
  end.addEventListener("click", () => endExercise(model));
  const legend = el("legend", { className: "question" });
  const how = el("p", { className: "note" });
  const inputs = el("div");
  const show = el("button", { id: "show-answer", type: "button", textContent: strings.showAnswer });
  show.addEventListener("click", () => giveAnswer(model, null));
  const form = el(
    "form",
    { id: "quiz" },
    el("fieldset", { "aria-describedby": "quiz-facts" }, legend, how, inputs),
    el("div", { className: "row" }, el("button", { id: "check", className: "main", textContent: strings.check }), show),
  );
  const result = el("p", { id: "result", role: "status" });
  const next = el("button", { id: "next-question", className: "main", textContent: strings.nextQuestion });
  next.addEventListener("click", () => model.set(UNANSWERED));
  const head = el("div", { className: "head" }, place, end);
  const round = el("div", { className: "round-of-quiz" }, head, facts, form, result, next);
  panel.append(round);
  const tell = (words, className) => {
    result.className = className;
    result.replaceChildren(words);
  };
  let [open, asked] = [null, null];
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { value, fault, input } = open.read();
    if (fault) {
      tell(fault, "bad");
      input.focus();
      return;
    }
    const question = openQuestion(model);
    const wrong = question === "weights" ? wrongBoxes(rightAnswer(model, question), value) : [question];
    giveAnswer(model, value);
    if (model.fields.result) return;
    open.mark(wrong);
    tell(`${strings.notSo} ${strings.hints[wrong[0]]}`, "bad");
  });
  return () => {
    const { fields, t, looks } = model;
    const { result: told } = fields;
    const question = openQuestion(model);
    const key = question && `${fields.round}:${t}`;
    const hadFocus = panel.contains(document.activeElement);
    const isNew = key !== asked;
    round.hidden = !isExercise(fields) && told === null;
    form.hidden = facts.hidden = question === null;
    next.hidden = told === null || !isExercise(fields);
    end.hidden = !isExercise(fields);
    setText(place, strings.exerciseAt((told?.look ?? Math.min(t, looks - 1)) + 1, looks));
    if (isNew && question !== null) {
      open = formOf(model, question);
      setText(legend, strings.asked[question]);
      setText(how, strings.how[question]);
      facts.replaceChildren(...factsAsked(model, question).map((textContent) => el("span", { textContent })));
      inputs.replaceChildren(open.element);
      tell("", "");
      if (hadFocus) open.first.focus({ preventScroll: true });
    }
    if (question !== null) open.show();
    else inputs.replaceChildren();
    if (isNew && question === null) {
      tell(wordsAfter(fields), told?.right ? "good" : "");
      if (hadFocus && !next.hidden) next.focus({ preventScroll: true });
    }
    asked = key;
  };
}

/** Returns what is told where no question is open. */
function wordsAfter({ result, asked }) {
  if (result === null) return strings.lookAnswered;
  const over = asked === null ? ` ${strings.exerciseOver}` : "";
  return `${result.right ? strings.yesRight : strings.theAnswer} ${result.why}${over}`;
}

/** Builds the score and the files of the answers. */
function buildAnswers(model, panel) {
  const score = el("p", { className: "note" });
  const name = el("input", { id: "answers-name", type: "text", autocomplete: "name" });
  const save = (id, words, ending, type, write) => {
    const button = el("button", { id, className: "small", textContent: words });
    button.addEventListener("click", () => {
      const title = ["answers", name.value].join(" ");
      offerFile(fileNameOf(title, ending), new Blob([write(name.value.trim(), model.fields.answers)], { type }));
    });
    return button;
  };
  const box = el(
    "div",
    { className: "answers-given" },
    el("h3", { textContent: strings.answers }),
    score,
    el(
      "div",
      { className: "row" },
      el("label", {}, `${strings.answersName} `, name),
      save("answers-json", strings.answersJson, "json", "application/json", answersAsJson),
      save("answers-csv", strings.answersCsv, "csv", "text/csv", answersAsCsv),
    ),
  );
  panel.append(box);
  return () => {
    const { answers } = model.fields;
    box.hidden = answers.length === 0;
    const right = answers.filter((answer) => answer.right);
    const first = right.filter(({ attempts }) => attempts === 1);
    setText(score, strings.answersScore(first.length, right.length, answers.length));
  };
}

/** Builds the challenges, which are no part of an exercise. */
function buildChallenges(model, panel) {
  const list = el("ul", { id: "challenges" });
  const hint = el("p", { className: "note", textContent: strings.challengesHint });
  const box = el("div", {}, el("h3", { textContent: strings.challenges }), list, hint);
  panel.append(box);
  return () => {
    box.hidden = isExercise(model.fields);
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
