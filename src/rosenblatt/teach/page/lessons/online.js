// The lesson of The Perceptron Algorithm: online, with sgn(0) = +1.

import { EXAMPLES } from "../state/examples.js";
import { END, on, PANEL, SIX, STEP } from "./states.js";

const ANALYSTS = [
  [1, 1, 1],
  [-1, 1, -1],
  [1, -1, 1],
  [-1, -1, -1],
];

export const online = {
  title: "The Perceptron Algorithm: learn online, count mistakes",
  states: [
    ...on(
      { points: EXAMPLES.wide, conventions: { tie: 1, offset: "none", stop: "pass" }, ...STEP },
      {
        note: "A threshold function\nf(x) = +1 where w·x ≥ b, and −1 elsewhere. First take b = 0, a line through the origin. A score of 0 counts as +1 here: sgn(0) = +1.",
      },
      {
        note: "The protocol\nObtain x = {x}. Predict. Only then is the label revealed, and only then may w change. Nothing is kept but w. Is this prediction a mistake? M or R.",
      },
      {
        t: 1,
        note: "Away from a negative example\nw = 0 predicted +1, and was right. It says +1 again for x = {x}, whose label is {y}. So w moves away from x: the dashed line is that of w = {newWeights}.",
      },
      {
        t: END,
        note: "Count the mistakes\nThat is the only measure: no training set, no test set. Every label was predicted before it was seen. Mistakes in {looks} looks: {allMistakes}.",
      },
    ),
    {
      points: EXAMPLES.eight,
      conventions: { tie: 1 },
      t: 4,
      ...STEP,
      note: "The threshold is a weight\nGive each x one more coordinate that is always 1. Its weight is then −b of the lecture, and it is learned like the others. Here w = {w}, and the constant has the weight {b}.",
    },
    ...on(
      { points: EXAMPLES.wide, conventions: { tie: 1 }, beyond: "margin", tab: "beyond", t: END, ...PANEL },
      {
        note: "The margin of a point\nIt is y times the distance from the line, below 0 for a wrong point. The margin of a set is the smallest. The widest band here leaves {band} on both sides.",
      },
      {
        note: "It measures robustness\nPush any point by less than {band}, in any direction: the middle line of the band still has it right. Push a point that holds the band by just that, and it can lie on the line.",
      },
    ),
    {
      points: EXAMPLES.thin,
      conventions: { tie: 1 },
      t: END,
      tab: "proof",
      ...PANEL,
      note: "A thin margin costs\nThese points leave room for γ = {gamma} only. The run makes {allMistakes} mistakes in {epochs} epochs, and {bound} would be allowed. Drag the closest points apart, and the bound falls.",
    },
    ...on(
      { points: SIX, conventions: { tie: 1, offset: "none" }, tab: "proof", ...PANEL },
      {
        t: 2,
        idea: "separator",
        note: "Suppose u exists\nA unit vector u with y u·x ≥ γ for all points, here γ = {gamma}, and D, the length of the longest x: D = {radius}, the page’s R. Count the mistakes before a round: m.",
      },
      {
        t: 2,
        idea: "floor",
        lights: "gain",
        note: "Lemma 1: u·w ≥ mγ\nBy induction. It holds for m = 0. A mistake adds y u·x ≥ γ to the left side, and γ to the right. Here m was {mistakes}, and the mistake adds {gain} γ.",
      },
      {
        t: 2,
        idea: "ceiling",
        lights: "middle",
        note: "Lemma 2: ‖w‖² ≤ mD²\nBy induction, too. A mistake adds 2 y w·x + ‖x‖². The first is negative or 0, here {middle}; the second is at most D² = {radius2}.",
      },
      {
        t: END,
        note: "The theorem\nmγ ≤ u·w ≤ ‖w‖ ≤ D√m, by Cauchy and Schwarz. So m ≤ (D/γ)² = {bound}. It counts mistakes, not rounds: let the sequence be endless, and chosen by an opponent.",
      },
    ),
    {
      points: ANALYSTS,
      conventions: { tie: 1, offset: "none", stop: "pass" },
      t: END,
      tab: "proof",
      idea: "separator",
      ...PANEL,
      note: "Whom to follow\nn analysts say +1 or −1 each day; a majority of k of them is always right. Then D = √n and γ = 1/√k: at most nk mistakes. Here n = 2, k = 1, u = {u}, and the bound is {bound}.",
    },
  ],
};
