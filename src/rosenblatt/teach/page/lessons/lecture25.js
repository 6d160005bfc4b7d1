// The lesson of Lecture 25: through the origin, with sgn(0) = −1.

import { EXAMPLES } from "../state/examples.js";
import { END, on, PANEL, SIX, STEP } from "./states.js";

const FOUR = [
  [3, 2, 1],
  [-2, -3, -1],
  [-1, 3, 1],
  [2, -3, -1],
];

const TANGLED = [
  [4, 1, 1],
  [-1, 4, 1],
  [1, 3, -1],
  [-4, -1, -1],
];

export const lecture25 = {
  title: "Lecture 25: why the perceptron stops",
  states: [
    ...on(
      { points: FOUR, conventions: { offset: "none", stop: "pass" }, ...STEP },
      {
        note: "A machine that learns from its mistakes\nRosenblatt showed it in 1958. It sees one point at a time, and looks for a line through the origin with all of class + on one side and all of class − on the other. It knows nothing yet: w = 0.",
      },
      {
        note: "The first look\nWith w = 0 every score w·x is 0, and this lecture sets sgn(0) = −1. The point x = {x} has the label {y}. A mistake? Answer with M or R, then read on.",
      },
      {
        t: 1,
        note: "A mistake moves w\nIt was one. So w ← w + y x, which is now {w}: w has turned towards x, and the line, square to w, turned with it.",
      },
      {
        t: END,
        note: "A right answer moves nothing\nThe other looks were right, and w stayed. After {looks} looks all points are on their sides, with w = {w}. Walk back through them with ←.",
      },
    ),
    ...on(
      { points: TANGLED, conventions: { offset: "none", stop: "quiet" }, t: 6, ...STEP },
      {
        note: "What a mistake repairs\nOther points. Look {look} shows x = {x} with the label {y}, and the score {score} is on the wrong side. The update moves this score by ‖x‖² = {square}, always the right way: to {newScore}.",
      },
      {
        note: "What it breaks\nNobody asked the other points. The dashed line is right about x, but {broken}, which was right, turns wrong: the red ×. We repair here and break there. Why should this ever stop?",
      },
    ),
    {
      points: TANGLED,
      conventions: { offset: "none", stop: "quiet" },
      t: END,
      tab: "weights",
      ...PANEL,
      note: "It need not\nNo line through the origin separates these {points} points. After {period} looks w is back where it began: its path closes to a polygon, and the run goes round it for ever.",
    },
    ...on(
      { points: SIX, conventions: { offset: "none" }, tab: "proof", ...PANEL },
      {
        t: 1,
        idea: "separator",
        note: "Assume a margin\nSome unit vector u has y u·x ≥ γ for every point: the band along its line is empty. Here γ = {gamma}. And no point is farther out than R = {radius}, the circle. Nothing else is assumed.",
      },
      {
        t: 3,
        idea: "floor",
        lights: "gain",
        note: "Claim 1: w grows along u\nEach mistake adds y u·x to u·w: at least γ, and here {gain} γ. So after t mistakes u·w ≥ tγ. The blocks stand above this floor.",
      },
      {
        t: 3,
        idea: "ceiling",
        lights: "middle",
        note: "Claim 2: w stays short\n‖w + y x‖² = ‖w‖² + 2 y w·x + ‖x‖². At a mistake y w·x ≤ 0, so the middle term, here {middle}, never helps. After t mistakes ‖w‖² ≤ tR².",
      },
      {
        t: END,
        note: "Floor meets ceiling\nSince ‖u‖ = 1, u·w ≤ ‖w‖ (Cauchy–Schwarz). Then tγ ≤ R√t, so t ≤ (R/γ)². On these points that allows {bound} mistakes; the run made {allMistakes}.",
      },
      {
        t: END,
        note: "Why the angle closes\nu·w = ‖w‖ cos θ. The projection grows like t, the length like √t at most: so cos θ is at least √t γ/R, and w has to turn towards u.",
      },
    ),
    {
      points: EXAMPLES.ring,
      t: 20,
      ...STEP,
      note: "When there is no line\nOne class lies around the other, and every line has points on its wrong side. No choice of w helps. So change the points.",
    },
    {
      points: EXAMPLES.ring,
      beyond: "lift",
      tab: "beyond",
      t: END,
      ...PANEL,
      note: "One more coordinate\nSend (x, y) to (x, y, x² + y²): the plane becomes a bowl, and a flat cut separates its bottom from its rim. Seen from above the cut is a circle. {allMistakes} mistakes, and it is learned.",
    },
  ],
};
