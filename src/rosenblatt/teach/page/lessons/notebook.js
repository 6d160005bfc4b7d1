// The lesson of the notebook: single-sample correction, and data that no line separates.

import { EXAMPLES } from "../state/examples.js";
import { END, on, PANEL, STEP } from "./states.js";

const CORRECTION = { tie: 0, offset: "first", stop: "quiet" };
const RANDOM = { ...CORRECTION, start: [0.25, 0.5, 0.75] };

/** Sixteen points spread over the unit square; the label is +1 where 0.7 x + 0.4 y > 0.5. */
const SQUARE = Array.from({ length: 16 }, (_, k) => {
  const [x, y] = [37, 61].map((step) => ((step * (k + 1)) % 100) / 100);
  return [x, y, 0.7 * x + 0.4 * y > 0.5 ? 1 : -1];
});

export const notebook = {
  title: "The notebook: correction, rates, and data that no line separates",
  states: [
    ...on(
      { points: SQUARE, conventions: RANDOM, ...STEP },
      {
        note: "A problem with a known answer\n{points} points of the unit square, of class + where 0.7 x + 0.4 y > 0.5. So a line separates them: we drew it ourselves. Can it be found again?",
      },
      {
        t: 2,
        note: "Flip one class\nPut the constant 1 before x, and change the sign of the vectors of class −. Then all ask for the same thing: a·x > 0. From a random start a = {weights}, this x is the first to fail.",
      },
      {
        t: 2,
        note: "Single-sample correction\na ← a + ε x, with ε = 1. Then a·x grows by ε‖x‖² = {square}: a step in the right direction, for this sample. A score of 0 counts as a mistake for both classes.",
      },
      {
        t: END,
        note: "Until an epoch changes nothing\n{allMistakes} corrections in {epochs} epochs. Read the line off: a₀ + a₁x + a₂y = 0 with a = {weights}. It is not the line we drew; many lines separate.",
      },
    ),
    {
      points: SQUARE,
      conventions: RANDOM,
      t: END,
      tab: "proof",
      ...PANEL,
      note: "Is it guaranteed to stop?\nYes, from any start: after ‖w₀ − αu‖²/R² corrections at most, with α = R²/γ. From 0 that is (R/γ)². The margin here is thin, γ = {gamma}, and the bound is {bound}.",
    },
    {
      points: EXAMPLES.eight,
      conventions: { ...CORRECTION, eta: 0.5 },
      t: END,
      ...STEP,
      note: "Does ε matter?\nFrom w = 0 it does not: every w is ε times a sum of samples, and no sign changes. With ε = 0.5 there are {allMistakes} mistakes, as with any ε, and w is shorter: {w}.",
    },
    {
      points: EXAMPLES.shifted,
      t: END,
      tab: "proof",
      ...PANEL,
      note: "Far from the origin\nHere R = {radius} and γ = {gamma}: the bound is {bound}, and the run needs {allMistakes}. Open “Why so loose?” and centre the data: R falls, and both numbers with it.",
    },
    {
      points: EXAMPLES.segment,
      t: 40,
      ...STEP,
      note: "Why does it never end?\nA point of class − lies between two of class +. A line with both on one side has all between them there, too. Press Show: the page proves it in whole numbers.",
    },
    {
      points: EXAMPLES.overlap,
      t: 100,
      tab: "weights",
      ...PANEL,
      note: "What is it that we want?\nNo a is right on all {points} points; this one is wrong on {wrong}. The number of errors has no useful gradient: it is flat, with jumps. So other criteria are minimised in its place.",
    },
    ...on(
      { points: EXAMPLES.overlap, beyond: "pocket", tab: "beyond", t: END, ...PANEL },
      {
        note: "The pocket\nRun on, and keep the a with the fewest errors so far. It has {pocketWrong}, where the last one has {wrong}. To find the fewest of all is hard: NP-hard in general.",
      },
    ),
    {
      points: EXAMPLES.overlap,
      beyond: "votes",
      tab: "beyond",
      t: END,
      ...PANEL,
      note: "Or average\nThe mean of all a’s is the green line. The swings of single corrections cancel, and it is wrong on {averageWrong} of the {points} points. Nothing was added but a sum.",
    },
  ],
};
