// Five ready lessons, one a lecture.

import { EXAMPLES } from "./examples.js";

const XOR = EXAMPLES.xor;

/** The lessons; a state has what `packState` returns. */
export const READY = {
  lecture25: {
    title: "Lecture 25: why the perceptron stops",
    states: [
      {
        points: [
          [3, 2, 1],
          [-2, -3, -1],
          [-1, 3, 1],
          [2, -3, -1],
        ],
        conventions: { offset: "none", stop: "pass" },
        note: "Start with w = 0 and sgn(0) = −1. Is the first prediction a mistake? Press M or R.",
      },
      {
        points: [
          [4, 1, 1],
          [-1, 4, 1],
          [1, 3, -1],
          [-4, -1, -1],
        ],
        conventions: { offset: "none", stop: "quiet" },
        t: 6,
        note: "A mistake adds ‖x‖² to y w·x. But the update may break other points (×).",
      },
      {
        points: [
          [3, 3, 1],
          [-3, 3, -1],
          [-3, -3, 1],
          [3, -3, -1],
        ],
        conventions: { offset: "none", stop: "quiet" },
        t: 4,
        tab: "weights",
        note: "No line through the origin separates these points: w comes back, for ever.",
      },
      {
        points: EXAMPLES.eight,
        t: 4,
        tab: "proof",
        idea: "separator",
        note: "The proof, on these points: some u has every point at least γ above its line, and R bounds all ‖x‖.",
      },
      {
        points: EXAMPLES.eight,
        t: 4,
        tab: "proof",
        idea: "floor",
        note: "The floor: every mistake adds y u·x ≥ γ to u·w. Go on to the next mistake with ↓.",
      },
      {
        points: EXAMPLES.eight,
        t: 4,
        tab: "proof",
        idea: "ceiling",
        note: "The ceiling: at a mistake y w·x ≤ 0, so ‖w‖² grows by R² at most.",
      },
      {
        points: EXAMPLES.eight,
        t: 16,
        tab: "proof",
        note: "With a margin γ the floor tγ meets the ceiling R√t: at most (R/γ)² mistakes.",
      },
      {
        points: EXAMPLES.ring,
        beyond: "lift",
        tab: "beyond",
        note: "A ring: lift every point to the bowl z = x² + y², and a plane separates it.",
      },
    ],
  },
  online: {
    title: "The Perceptron Algorithm: learn online, count mistakes",
    states: [
      {
        points: EXAMPLES.wide,
        conventions: { tie: 1, offset: "none", stop: "pass" },
        note: "Obtain x, predict, then the label is revealed. Here sgn(0) = +1.",
      },
      {
        points: EXAMPLES.wide,
        conventions: { tie: 1 },
        beyond: "margin",
        tab: "beyond",
        t: 12,
        note: "The margin measures robustness: no push smaller than it can flip a point.",
      },
      {
        points: EXAMPLES.thin,
        conventions: { tie: 1 },
        t: 24,
        tab: "proof",
        note: "A thin margin allows many mistakes. Drag two points apart: the bound falls.",
      },
    ],
  },
  kernels: {
    title: "Perceptrons and kernels: beyond the line",
    states: [
      {
        points: EXAMPLES.eight,
        note: "Learning by punishment: a right answer changes nothing, a mistake does: w ← w + y x, b ← b + y.",
      },
      {
        points: EXAMPLES.overlap,
        t: 60,
        note: "An unrealizable concept: the verdict names a few points that prove it.",
      },
      {
        points: XOR,
        beyond: "kernel",
        tab: "beyond",
        degree: 2,
        note: "The kernel (1 + x·x')² separates XOR; the linear perceptron cycles.",
      },
      {
        points: EXAMPLES.ring,
        beyond: "kernel",
        tab: "beyond",
        degree: 2,
        note: "The same kernel on a ring: an ellipse. Raise the degree.",
      },
    ],
  },
  ece146: {
    title: "ECE M146: the worked example, orders, votes",
    states: [
      {
        points: EXAMPLES.two,
        conventions: { tie: 1, offset: "first", pick: "first" },
        note: "Any misclassified point: w goes (0,0,0) → (−1,−2,−1) → (0,−1,1), offset first.",
      },
      {
        points: EXAMPLES.eight,
        tab: "compare",
        note: "The order matters: the same points in order, and reversed. The bound knows no order.",
      },
      {
        points: EXAMPLES.overlap,
        beyond: "votes",
        tab: "beyond",
        t: 40,
        note: "Keep the older w's and let them vote, or take their average.",
      },
      {
        points: EXAMPLES.outlier,
        beyond: "margin",
        tab: "beyond",
        t: 40,
        note: "The perceptron does not look for the widest band.",
      },
    ],
  },
  notebook: {
    title: "The notebook: correction, rates, and data that no line separates",
    states: [
      {
        points: EXAMPLES.eight,
        conventions: { tie: 0, offset: "first", start: [0.25, 0.5, 0.75], stop: "quiet" },
        note: "A start that is not 0, and a·x ≤ 0 is a mistake for both. The bound counts from the start: ‖w₀ − αu‖²/R².",
      },
      {
        points: EXAMPLES.shifted,
        t: 30,
        note: "Far from the origin R is large. Open “Why so loose?” and centre the data.",
      },
      {
        points: EXAMPLES.overlap,
        beyond: "pocket",
        tab: "beyond",
        t: 80,
        note: "Not separable: the pocket keeps the weights with the fewest errors.",
      },
      { points: EXAMPLES.segment, t: 40, note: "Why does it never end? Press Show." },
    ],
  },
};
