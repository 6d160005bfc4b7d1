// The lesson of Perceptrons and kernels: with b beside w, and beyond the line.

import { EXAMPLES } from "../state/examples.js";
import { END, on, PANEL, STEP } from "./states.js";

export const kernels = {
  title: "Perceptrons and kernels: beyond the line",
  states: [
    ...on(
      { points: EXAMPLES.eight, ...STEP },
      {
        note: "A neuron\nThe dendrites bring x, the synapses weigh it, the cell body adds up: f(x) = ⟨w, x⟩ + b. The axon sends the sign. What can be learned are the weights w and b.",
      },
      {
        t: 1,
        note: "Reward and punishment\nw ← w + (η/2)(y − g(x)) x. Where the answer g(x) = y is right, the bracket is 0: nothing changes. Here y = {y} and the score is {score}: w is punished, and becomes the dashed line.",
      },
      {
        t: 3,
        note: "Use it while it learns\nAfter {mistakes} mistakes this line has {wrong} of the {points} points wrong. It answers all the same: there is no end of training to wait for.",
      },
      {
        t: END,
        note: "Until all are right\n{allMistakes} mistakes in {epochs} epochs, and every point is on its side: w = {w}, b = {b}. Such a concept is called realizable.",
      },
    ),
    {
      points: EXAMPLES.eight,
      t: END,
      tab: "proof",
      ...PANEL,
      note: "The bound\nAt most (b*² + 1)(R² + 1)/ρ² updates, for any η. With the constant 1 as a coordinate of x, and the best w* and b*, this is the (R/γ)² of the page: {bound}. No dimension occurs in it.",
    },
    ...on(
      { points: EXAMPLES.eight, t: END, beyond: "dual", tab: "beyond", ...PANEL },
      {
        note: "w is made of examples\nEach mistake added one y x. So w is a sum of examples, drawn tip to tail, and the number beside a point counts the mistakes on it: its α.",
      },
      {
        note: "Only inner products\nA score is then Σ αᵢ yᵢ ⟨xᵢ, x⟩ + b. Neither the run nor its answers need x itself, only the inner products of pairs: the matrix.",
      },
    ),
    {
      points: EXAMPLES.eight,
      t: 4,
      ...STEP,
      note: "A descent\nSum max(0, −y f(x)) over the examples. A right one adds 0; on a wrong one the gradient is −y x. One example at a time, against the gradient: that is the perceptron, η its rate.",
    },
    {
      points: EXAMPLES.overlap,
      t: 60,
      ...STEP,
      note: "Unrealizable\nNo line separates these {points} points. The verdict below is a proof in whole numbers; press Show, and the few points that it needs are marked.",
    },
    {
      points: EXAMPLES.xor,
      t: END,
      tab: "weights",
      ...PANEL,
      note: "XOR\n{points} points are enough. w is back after {period} looks, and no line will ever do. But nothing says that the score has to be linear in x.",
    },
    {
      points: EXAMPLES.xor,
      beyond: "kernel",
      tab: "beyond",
      t: END,
      ...PANEL,
      note: "Replace the inner product\nTake k(x, x′) = (1 + x·x′)² for x·x′. It is an inner product of squares and products of the coordinates, x₁x₂ among them. {allMistakes} mistakes, and XOR is learned.",
    },
    ...on(
      { points: EXAMPLES.ring, beyond: "kernel", tab: "beyond", t: END, ...PANEL },
      {
        note: "The same kernel, another shape\nOn a ring it finds a closed curve, after {allMistakes} mistakes. The features of degree 2 were never written down. Choose a higher degree, and see the curve bend.",
      },
      {
        note: "Will any k do?\nNo. Every matrix of k has to be positive semidefinite: then some Φ has k(x, x′) = ⟨Φ(x), Φ(x′)⟩, and the theorem holds there, with the margin and the radius of the Φ(x).",
      },
    ),
  ],
};
