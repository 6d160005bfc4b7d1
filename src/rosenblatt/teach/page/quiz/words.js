// The words of the exercises.

import { boundFrom } from "../proof/words.js";
import { count, grouped } from "../state/format.js";

export const quizStrings = {
  // What is asked
  questions: {
    turn: "all, in turn",
    line: "where the line goes",
    weights: "what w′ is",
    breaks: "which points turn wrong",
    left: "how many mistakes are left",
  },
  questionsLabel: "Questions",
  exerciseHint:
    "Predict each look before the page shows it. What lies ahead stays covered until you have answered.",
  newExercise: "New exercise",
  theseExercise: "With these points",
  endExercise: "End",
  exerciseAt: (look, looks) => `Look ${grouped(look)} of ${grouped(looks)}`,
  asked: {
    line: "Where does the line go?",
    weights: "What is w after this look?",
    breaks: "Which points does this look turn wrong?",
    left: "How many mistakes are left, at most?",
  },
  how: {
    line: "Choose a line, here or in the plane.",
    weights: "Fractions and decimals, with a point or a comma.",
    breaks: "Choose them here or in the plane, or none.",
    left: "What the bound allows, less the mistakes so far.",
  },
  boxes: { score: "score", verdict: "verdict", w1: "w′₁", w2: "w′₂", b: "b′", left: "at most" },
  lineNone: "no line: w = 0",
  lineBeyond: "a line outside the plane",
  lineFrom: (from, to) => `from ${from} to ${to}`,
  quizBound: (fromZero, eta, limit) =>
    fromZero ? `(R/γ)² ${limit}` : `${boundFrom(eta)} ${limit} with α = R²/γ`,
  madeSoFar: (mistakes) => `${mistakes} so far`,
  check: "Check",
  showAnswer: "Show the answer",
  nextQuestion: "Next question",
  coveredStep: "The exercise asks for this look.",

  // After an answer
  yesRight: "Right.",
  theAnswer: "The answer:",
  notSo: "Not so.",
  hints: {
    line: "After a mistake w′ = w + η y x, else w stays; the line stands at a right angle to it.",
    score: "The score is w·x + b.",
    verdict: "A look is a mistake if the score predicts another sign than the label.",
    w1: "After a mistake w′ = w + η y x, else w stays.",
    w2: "After a mistake w′ = w + η y x, else w stays.",
    b: "After a mistake b′ = b + η y, else b stays.",
    breaks: "A point turns wrong if the line has it right before the look, and wrong after it.",
    left: "Round the bound down, and subtract the mistakes so far.",
  },
  chooseOne: "Choose one.",
  noNumber: "Write a number without groups of digits, as 1234, −2,5 or 7/2.",
  twoNumbers: (whole, decimal) => `Is it ${whole} or ${decimal}? Write one of the two.`,
  whySeen: (score, label) => `The score is ${score}, the label ${label}`,
  whyRight: {
    line: (seen) => `${seen}: no mistake, so the line stays.`,
    weights: (seen) => `${seen}: no mistake, so w stays.`,
    breaks: (seen) => `${seen}: no mistake, so the line stays, and no point turns wrong.`,
  },
  whyMistake: {
    line: (seen, [w, step, after], b) =>
      `${seen}: a mistake, so w′ = ${w} + ${step} = ${after}${b === null ? "" : `, b′ = ${b}`}, and the line turns with it.`,
    weights: (seen, [w, step, after], b) =>
      `${seen}: a mistake, so w′ = ${w} + ${step} = ${after}${b === null ? "" : `, b′ = ${b}`}.`,
  },
  noneBreaks: "A mistake, but no point that was right changes its side.",
  pointBreaks: (x, label, before, after) => `${x} of label ${label} from ${before} to ${after}`,
  othersBreak: (n) => `and ${count(n, "other point")}`,
  whyBreaks: (told) => `A mistake, and after it scores have the wrong sign: ${told}.`,
  whyLeft: (limit, bound, made) =>
    `${limit} allows ${count(bound, "mistake")}, and ${grouped(made)} of them are made: ${grouped(bound)} − ${grouped(made)} = ${grouped(bound - made)}.`,
  exerciseOver: "The exercise is over.",
  lookAnswered: "This look is answered: → goes on.",

  // The answers as a file
  answers: "Answers",
  answersScore: (first, right, all) =>
    `${count(all, "answer")}: ${right} right, ${first} at the first attempt.`,
  answersName: "Name (if you like)",
  answersJson: "Save as JSON",
  answersCsv: "Save as CSV",
};
