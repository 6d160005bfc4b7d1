// The lesson of ECE M146: (1, x), sgn(0) = +1, and any misclassified point.

import { EXAMPLES } from "../state/examples.js";
import { END, on, PANEL, STEP } from "./states.js";

const ANY = { tie: 1, offset: "first", pick: "first" };

export const ece146 = {
  title: "ECE M146: the worked example, orders, votes",
  states: [
    ...on(
      { points: EXAMPLES.two, conventions: ANY, ...STEP },
      {
        note: "By hand\nOne point of each class. Put the constant 1 before the coordinates, and the offset is a weight like the others: w = (w₀, w₁, w₂). Start with w = {weights}.",
      },
      {
        t: 1,
        note: "The first update\nsgn(0) = +1 was wrong about the negative point only. It was subtracted, and w = {weights}. Now x = {x} has the score {score}, and is misclassified in its turn.",
      },
      {
        t: 2,
        note: "The second, and the end\nw = {weights}, and no point is misclassified. After {allMistakes} updates the line w₀ + w₁x₁ + w₂x₂ = 0 runs between them.",
      },
    ),
    {
      points: EXAMPLES.eight,
      conventions: ANY,
      t: END,
      ...STEP,
      note: "Which misclassified point?\nThe loop says: while one exists, update with it. It does not say which. On these {points} points the first one in the list needs {allMistakes} updates.",
    },
    ...on(
      { points: EXAMPLES.eight, conventions: { ...ANY, pick: "worst" }, ...STEP },
      {
        t: END,
        note: "Another choice\nTaking the worst one, with the lowest y w·x, needs {allMistakes} on the same points. Conventions ▸ Looks at has more. All of them stop, and none knows the best.",
      },
      {
        t: 3,
        note: "An update can break points\nThis one repairs x = {x}. But {broken} were right, and are wrong after it: the red ×. The number of wrong points may rise; another quantity has to fall.",
      },
    ),
    ...on(
      { points: EXAMPLES.eight, tab: "proof", ...PANEL },
      {
        t: 4,
        idea: "floor",
        lights: "gain",
        note: "Result 1\nw_opt, here u, has the margin γ. Each update adds y u·x ≥ γ to the inner product with it. So the projection grows; but is it because w comes closer, or because w gets longer?",
      },
      {
        t: 4,
        idea: "ceiling",
        lights: "middle",
        note: "Result 2\nExpand the square. The middle term is {middle}, since the point was misclassified, and ‖w‖² grows by R² at most. The projection grows faster than the length: w has to come closer.",
      },
      {
        t: END,
        note: "Finitely many steps\nTogether k ≤ R²/γ², here {bound}. The algorithm is given neither w_opt nor γ nor R. It stops in time without knowing how much time it has: after {allMistakes} updates.",
      },
    ),
    {
      points: EXAMPLES.eight,
      tab: "compare",
      ...PANEL,
      note: "The order matters\nA takes the points as they are listed, B in reverse. Walk both with →: other mistakes, another line at the end. The bound is the same, since it knows no order.",
    },
    {
      points: EXAMPLES.overlap,
      beyond: "votes",
      tab: "beyond",
      t: 98,
      ...PANEL,
      note: "Keep the older w’s\nThe last w may be a bad one: after {mistakes} mistakes on these {points} points it is wrong on {wrong}. Let all the w’s vote, each as often as it survived a look: the vote is wrong on {voteWrong}.",
    },
    {
      points: EXAMPLES.eight,
      t: END,
      tab: "weights",
      ...PANEL,
      note: "More than two classes\nTrain one w for each class, against all the others together. Answer with the class whose w·x is the largest. Each of these runs is a run like this one, with its own bound.",
    },
    {
      points: EXAMPLES.outlier,
      conventions: { tie: 0 },
      beyond: "margin",
      tab: "beyond",
      t: END,
      ...PANEL,
      note: "Not the widest band\nThe perceptron takes the first line without a mistake: its margin is {margin}. The widest band leaves {band}. To look for that one is the task of the support vector machine.",
    },
    {
      points: EXAMPLES.xor,
      conventions: ANY,
      t: END,
      tab: "weights",
      ...PANEL,
      note: "What it cannot learn\nXOR: no line has all {points} points on their sides, and w comes back after {period} updates. Add a feature, the product x₁x₂, or a second layer, and it is easy.",
    },
  ],
};
