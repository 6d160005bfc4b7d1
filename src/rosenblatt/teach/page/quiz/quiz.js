// An exercise: at each look a question, its right answer in exact numbers, and what follows.

import { decimalText, fraction } from "../engine/fractions.js";
import { brokenBy, mistakesBefore } from "../engine/run.js";
import { isExercise, oncePerLook, openTab, UNANSWERED } from "../state/model.js";
import { keepAnswers, recordOf } from "./answers.js";
import { candidatesAt } from "./candidates.js";
import { exactLine, exactLineAt, exactScore } from "./exact.js";
import { whyOf } from "./told.js";

/** The questions, in their turn. */
const QUESTIONS = ["line", "weights", "breaks", "left"];

const candidatesOnce = oncePerLook(candidatesAt);

/** Returns the lines to choose from at a look; each has its stored vector and `isRight`. */
export function candidatesNow({ run, t }) {
  return candidatesOnce(run, t);
}

/** Returns the name of the open question; null where none is, or where another tab covers it. */
export function openQuestion(model) {
  const { fields, found, t } = model;
  const isOpen = isExercise(fields) && t === fields.asked && fields.result === null;
  if (!isOpen || openTab(fields) !== "exercise") return null;
  const hasBound = found.bound !== null && !fields.hidden.includes("verdict");
  const asked = QUESTIONS.filter((name) => name !== "left" || hasBound);
  return asked.includes(fields.quiz) ? fields.quiz : asked[t % asked.length];
}

/** Begins an exercise at the look of a model, on the page's own run: a recorded one has its answers in the link. */
export function beginExercise(model, quiz) {
  const { t, looks, fields } = model;
  model.set({
    recorded: null,
    order: fields.order, // the run is computed again
    beyond: "none",
    asking: false,
    proofShown: false,
    selected: null,
    sheet: false,
    tab: "exercise",
    quiz,
    asked: t < looks ? t : null,
    round: 1 + Math.max(0, ...fields.answers.map(({ round }) => round)),
    ...UNANSWERED,
  });
}

/** Ends the exercise; its answers stay. */
export function endExercise(model) {
  model.set({ quiz: "", asked: null, ...UNANSWERED });
}

/**
 * Returns the right answer to a question at the look of a model: of "line" the index of a candidate,
 * of "weights" a value for each box, of "breaks" the rows, of "left" a fraction.
 */
export function rightAnswer(model, question) {
  const { run, t, found } = model;
  if (question === "line") return candidatesNow(model).findIndex(({ isRight }) => isRight);
  if (question === "breaks") return brokenBy(run, t);
  if (question === "left") return fraction(BigInt(found.bound - mistakesBefore(run, t)));
  const [w1, w2, b] = exactLineAt(run, t + 1);
  const score = exactScore(run, run.used[t], run.rows[t]);
  return { score, verdict: run.wrong[t] ? "mistake" : "right", w1, w2, ...(b && { b }) };
}

/** Returns the boxes of an answer to "weights" that are wrong, in their order. */
export function wrongBoxes(right, given) {
  return Object.keys(right).filter((name) => valueText(right[name]) !== valueText(given[name]));
}

/**
 * Takes an answer to the open question, or null from a reader who gives up. A right answer, or none,
 * closes the question, and the look is made; a wrong one leaves it open.
 */
export function giveAnswer(model, given) {
  const question = openQuestion(model);
  const { t, looks, fields } = model;
  const right = rightAnswer(model, question);
  const text = (value) => answerText(model, question, value);
  const isRight = given !== null && text(given) === text(right);
  const attempts = fields.attempts + (given === null ? 0 : 1);
  const answer = given === null ? fields.given : text(given);
  if (given !== null && !isRight) {
    model.set({ attempts, given: answer });
    return;
  }
  const told = { look: t + 1, question, answer, right_answer: text(right), right: isRight, attempts };
  const answers = [...fields.answers, recordOf(model, fields.round, told)];
  const result = { question, look: t, right: isRight, why: whyOf(model, question) };
  keepAnswers(answers);
  const asked = t + 1 < looks ? t + 1 : null;
  model.set({ t: t + 1, cameFrom: t, asked, answers, ...UNANSWERED, result });
}

/** Returns an answer as text: numbers in ASCII, the line as its numbers, points counted from 1. */
function answerText(model, question, value) {
  if (question === "breaks") return value.map((row) => row + 1).sort((a, b) => a - b).join("; ") || "none";
  if (question === "left") return decimalText(value);
  const parts =
    question === "line" ? exactLine(model.run, candidatesNow(model)[value].vector) : Object.values(value);
  return parts.map(valueText).join("; ");
}

/** Returns a fraction as decimal text, and text as it is. */
function valueText(value) {
  return typeof value === "string" ? value : decimalText(value);
}
