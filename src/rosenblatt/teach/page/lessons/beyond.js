// The lesson on what is beyond separable points: the cycle, the pocket, the average, votes, the margin.

import { EXAMPLES } from "../state/examples.js";
import { END, on, PANEL, STEP } from "./states.js";

export const beyondLesson = {
  title: "Beyond separable",
  states: [
    {
      points: EXAMPLES.segment,
      t: 8,
      ...STEP,
      note: "No line\nThe theorem needs a separator. Here is none: a point of class − lies between two of class +. Press Show below. The whole numbers are a proof that anybody can check.",
    },
    {
      points: EXAMPLES.segment,
      t: END,
      tab: "weights",
      ...PANEL,
      note: "The cycle\nThen the perceptron cannot stop. In a fixed order w comes back, here after {period} looks: its path closes, and nothing new will ever happen.",
    },
    {
      points: EXAMPLES.overlap,
      t: END,
      tab: "weights",
      ...PANEL,
      note: "It does not run away\nThese {points} points overlap. w is back after {period} looks, and its length stays bounded for ever: that is a theorem, too. It wanders about, neither good nor lost.",
    },
    {
      points: EXAMPLES.overlap,
      t: 98,
      ...STEP,
      note: "The last w is an accident\nA few looks earlier or later it is another one. After {mistakes} mistakes w is wrong on {wrong} points. If you stop here, that is what you keep. What could you keep in its place?",
    },
    ...on(
      { points: EXAMPLES.overlap, beyond: "pocket", tab: "beyond", t: END, ...PANEL },
      {
        note: "The pocket\nKeep the best: put w into your pocket whenever it has fewer errors than the one you have. The bars are the errors after each mistake; the pocket has {pocketWrong}, the last w {wrong}.",
      },
      {
        note: "Its price\nErrors have to be counted on all points, for each new w. And the fewest errors on these points are not yet the fewest on others.",
      },
    ),
    ...on(
      { points: EXAMPLES.overlap, beyond: "votes", tab: "beyond", t: 98, ...PANEL },
      {
        note: "The vote\nLet every w vote, as often as it survived a look. A good w survives long, and has many votes. w is wrong on {wrong} points here, the vote on {voteWrong}: the shade is its majority.",
      },
      {
        note: "The average\nThe vote needs all the w’s. Their average, the green line, needs one sum; it is wrong on {averageWrong} points. It is what one uses in practice, and it never asks for the best w.",
      },
    ),
    ...on(
      { points: EXAMPLES.outlier, conventions: { tie: 0 }, beyond: "margin", tab: "beyond", t: END, ...PANEL },
      {
        note: "Separable is not the end\nHere a line exists, and the run stops after {allMistakes} mistakes. But at the first line that will do: its margin is {margin}, and a small push turns some point wrong.",
      },
      {
        note: "The widest band\nThe best line leaves {band} on both sides. {support} points touch the band and hold it; drag another one a little, and nothing moves. This is the support vector machine.",
      },
    ),
    {
      points: EXAMPLES.ring,
      beyond: "kernel",
      tab: "beyond",
      t: END,
      ...PANEL,
      note: "Or bend the line\nWith a kernel the same algorithm draws a curve, and what was inseparable is separable: after {allMistakes} mistakes, with the same proof, in the space of the kernel.",
    },
  ],
};
