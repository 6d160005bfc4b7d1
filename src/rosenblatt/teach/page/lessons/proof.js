// The lesson of the proof: u, γ and R, the floor, the ceiling, where they meet, and how it breaks.

import { END, on, PANEL, SIX } from "./states.js";

export const proofLesson = {
  title: "The proof, one idea at a time",
  states: on(
    { points: SIX, conventions: { offset: "none" }, tab: "proof", t: 1, ...PANEL },
    {
      idea: "separator",
      note: "The claim\nIf a line separates the points, the perceptron makes at most (R/γ)² mistakes, whatever the order: here {bound}. Then it stops, since a pass without a mistake leaves w as it is. Now we prove it.",
    },
    {
      idea: "separator",
      lights: "u",
      note: "u, the answer that nobody told\nSome line through the origin separates the points. Let u be its direction, of length 1: here u = {u}. The run never sees it. Only the proof does.",
    },
    {
      idea: "separator",
      lights: "gamma",
      note: "γ, the room that it leaves\nEvery point lies on its side of the line of u, at a distance y u·x of at least γ = {gamma}. The bars are these distances: none is below γ, and the band holds no point.",
    },
    {
      idea: "separator",
      lights: "radius",
      note: "R, the longest point\nNo x is longer than R = {radius}. γ and R are all that the proof keeps: no number, order or dimension. With an offset b each x gets a constant 1, and γ and R are of these vectors.",
    },
    {
      idea: "floor",
      lights: "gain",
      note: "The first mistake\nw starts at 0. A mistake adds y x to w, and along u that is y u·x: here {gain} γ. Every mistake, on whatever point, gives at least one γ.",
    },
    {
      idea: "floor",
      t: END,
      lights: "rise",
      note: "The floor\nSo after t mistakes u·w ≥ tγ. Here t = {mistakes}, and u·w = {rise} γ. Each block is one mistake, and the floor rises by γ with each, for ever: in a straight line.",
    },
    {
      idea: "ceiling",
      t: 2,
      note: "A doubt\nu·w may have grown because w turned towards u, or only because w got long. So measure the length: ‖w + y x‖² = ‖w‖² + 2 y w·x + ‖x‖².",
    },
    {
      idea: "ceiling",
      t: 2,
      lights: "middle",
      note: "The one idea\nThe middle term is {middle}. It cannot be above 0: w was wrong about x, so y w·x ≤ 0. Only here does the proof use the mistake. ‖w‖² was {length2}, and is {newLength2} now: w became shorter.",
    },
    {
      idea: "ceiling",
      t: END,
      lights: "most",
      note: "The ceiling\nWhat is left adds ‖x‖², at most R². After {mistakes} mistakes ‖w‖² = {length2}, where {most} was allowed. So ‖w‖ ≤ R√t, and √t climbs ever more slowly.",
    },
    {
      t: END,
      note: "They meet\nu has length 1, so u·w ≤ ‖w‖: that is Cauchy–Schwarz. Put in the floor and the ceiling: tγ ≤ u·w ≤ ‖w‖ ≤ R√t. A straight line below a square root: soon there is no room left.",
    },
    {
      t: END,
      note: "The last line\nFor t > 0 divide tγ ≤ R√t by γ√t, and square: t ≤ (R/γ)² = {bound}. The run made {allMistakes}. Each pass but the last has a mistake. They run out, so one comes without, and the run stops.",
    },
    {
      idea: "broken",
      broken: "margin",
      note: "Without a margin\nOne point now stands twice, with both labels. No u has both on the right side: what one step gives along u, the other takes back. The floor fails, and the run never ends.",
    },
    {
      idea: "broken",
      broken: "mistakes",
      note: "Without a mistake\nNow w also steps where it is right. There 2 y w·x is above 0, and ‖w‖² grows by more than ‖x‖²: the ceiling fails. Learn from mistakes alone, or lose the proof.",
    },
    {
      idea: "broken",
      note: "Nothing to spare\nEvery assumption holds up one line. Take away another one, and say first which line will turn red. Then close the page, and write the proof down.",
    },
  ),
};
