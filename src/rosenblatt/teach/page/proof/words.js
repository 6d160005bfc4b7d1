// Every word of the tab Proof.

import { LARGEST, SMALLEST } from "../engine/limits.js";
import { count, grouped, power } from "../state/format.js";

/** The sizes that numbers may have. */
export const LIMITS = `0, or from ${power(SMALLEST)} to ${power(LARGEST)} in size`;

/** Returns η as a factor, and η²: nothing where it is 1. */
const rateOf = (eta) => (eta === 1 ? "" : "η ");
const squareOfRate = (eta) => (eta === 1 ? "" : "η²");

/** Returns the bound from a start that is not 0, with α = R²/γ. */
export const boundFrom = (eta) => `‖w₀${eta === 1 ? "" : "/η"} − αu‖²/R²`;

export const proofStrings = {
  claim1: (left, _, t) => `Claim 1:  u·w ${left} γ ≥ ${t}·γ`,
  claim2: (left, right, t) => `Claim 2:  ‖w‖² ${left} ≤ ${t}·R² ${right}`,
  claim1Start: (left, right) => `Claim 1:  u·w ${left} γ ≥ u·w₀ + tηγ ${right} γ`,
  claim2Start: (left, right) => `Claim 2:  ‖w‖² ${left} ≤ ‖w₀‖² + tη²R² ${right}`,
  ideas: {
    separator: "u, γ, R",
    floor: "Floor",
    ceiling: "Ceiling",
    bound: "They meet",
    broken: "Break it",
  },
  ideasLabel: "The proof in four steps, and how it breaks",
  ideaSentence: {
    separator: (isSeparable) =>
      isSeparable
        ? "u is the unit vector with the widest margin: y u·x ≥ γ for every point. R is the longest ‖x‖."
        : "No line separates the points: there is no u, and no γ. R is the longest ‖x‖.",
    floor: (isSeparable, eta, { least }) =>
      isSeparable
        ? `Each mistake adds ${rateOf(eta)}y x to w, so u·w grows by ${rateOf(eta)}y u·x: at least ${rateOf(eta)}γ. After t mistakes it is at least ${least}.`
        : "Without a separator there is no u along which w must grow: no floor.",
    ceiling: (_, eta, { most }) => {
      const square = squareOfRate(eta);
      return `At a mistake y w·x ≤ 0: the arrows w and y x are at least 90° apart, so ‖w‖² grows by ${square}‖x‖² ≤ ${square}R² at most. After t mistakes it is at most ${most}.`;
    },
  },
  meanings: {
    u: "u: the direction of the widest margin, of length 1.",
    gamma: "γ: the margin. Every point is at least γ above the line of u, on its side.",
    radius: "R: the length of the longest x, with its constant 1 where there is an offset.",
    rise: "u·w′: how far w reaches along u after this step.",
    before: "The same before this step.",
    gain: "y u·x: what this mistake adds along u. By the margin it is at least γ.",
    least: "The floor: γ for each mistake.",
    length: "‖w′‖²: the square of the length after this step.",
    middle: "2 y w·x: at most 0, since a mistake has y w·x ≤ 0.",
    last: "‖x‖²: at most R².",
    most: "The ceiling: R² for each mistake.",
    end: "t: the floor and the ceiling together allow (R/γ)² steps at most.",
  },
  assumptions: {
    none: "nothing",
    margin: "no margin",
    radius: "no R",
    mistakes: "steps when right",
    rate: "shrinking η",
    start: "another start",
  },
  assumptionsLabel: "Take away",
  brokenSentence: {
    none: () =>
      "Take an assumption away: the line of the proof that needs it turns red. Here all stand: w₀ = 0, η = 1, a step at each mistake.",
    margin: (k) =>
      `Point ${k} stands twice, with both labels: no u has y u·x ≥ γ > 0 for both. One of the two steps takes from u·w what the other gave, for ever.`,
    radius: () =>
      "Each point slides along the line of u until it is a mistake, ever farther: y u·x stays, so the floor stands, but ‖x‖² has no R², and the ceiling falls.",
    mistakes: () =>
      "w also steps when it is right: then y w·x > 0, and ‖w‖² grows by more than ‖x‖². The ceiling falls, and the steps never end.",
    rate: (q) =>
      `Steps of η = 1, 1/${q}, 1/${q * q}, … add η y u·x, soon less than γ: u·w never gets far above its first step, and tγ leaves it behind.`,
    start: (w) =>
      `w₀ = ${w} points against u: u·w begins far below 0, and steps of γ do not lift it to tγ. Such a start has a bound of its own, ‖w₀ − αu‖²/R² with α = R²/γ.`,
  },
  brokenAlready: "No line separates these points: there is no u and no γ, so the floor fails. The ceiling stands.",
  neverFails: "Here the run ends before that line fails: try other points.",
  noSteps: "No look is a mistake: there is nothing to break.",
  brokenLines: {
    gain: (rate) => [`${rate}y u·x`, "γ"],
    rise: () => ["u·w′", "tγ"],
    middle: (rate) => [`2${rate && "η"} y w·x`, ""],
    last: (rate) => [`${rate && "η²"}‖x‖²`, "R²"],
    length: () => ["‖w′‖²", "tR²"],
    end: () => ["t", "(R/γ)²"],
  },
  lineHolds: (words) => `Holds: ${words}`,
  lineFails: (words) => `Fails: ${words}`,
  noLine: (name, limit) => `${name} ≥ ${limit}: no u`,
  noEnd: "t has no bound: no γ",
  brokenPlace: (t, last, k) => `Step ${t} of ${last}, at point ${k}`,
  previousStep: "One step back (←)",
  nextBrokenStep: "One step on (→)",
  lastStep: (bound) => (bound === null ? "The last step" : `Beyond the bound ${grouped(bound)}`),
  brokenChart: (name, t, failed) =>
    `${name} after each step up to ${t}: the line fails after ${failed} of them`,
  lastAllowed: (bound) => `⌊(R/γ)²⌋ = ${grouped(bound)}`,
  tour: "Guided tour of the proof, 4 minutes",
  tourStart: "▶ Tour",
  tourBack: "Back",
  tourNext: "Next",
  tourPause: "Pause",
  tourPlay: "Go on",
  tourEnd: "End",
  noTour: "The tour needs points that a line separates, a mistake, and a proof that is not hidden.",
  tourSteps: [
    () =>
      "Whatever the order, the perceptron stops after at most (R/γ)² mistakes. Four ideas prove it, here on these points.",
    () =>
      "Some line separates the points. The arrow u is its direction, of length 1. The run never sees it: only the proof does.",
    () =>
      "γ is the margin: each point is at least γ away from the line of u, on its side. No point lies within the band.",
    () =>
      "R is the length of the longest x: the circle. Only these two numbers, γ and R, are in the bound.",
    () =>
      "A mistake adds y x to w. Along u that is y u·x, from the line of u to the point: by the margin it is at least γ.",
    () =>
      "So u·w grows by γ or more at each mistake. After t mistakes it is at least tγ: the floor, on which the blocks stand.",
    () =>
      "u·w may be large since w turns towards u, or only since w is long. So the proof now looks at the length of w.",
    () =>
      "‖w + y x‖² is ‖w‖² + 2 y w·x + ‖x‖². The middle term is at most 0, just because w was wrong about x.",
    () =>
      "The last term is at most R². So one mistake makes ‖w‖² larger by R² at most: in the triangle the sides w and y x meet at 90° or less.",
    () =>
      "After t mistakes ‖w‖² is at most tR²: the ceiling. The length ‖w‖ is then at most R√t, and √t grows ever slower.",
    () =>
      "u has length 1, so u·w ≤ ‖w‖ by Cauchy–Schwarz, and tγ ≤ R√t. For t > 0 divide by γ√t, and square: t ≤ (R/γ)². There the floor meets the ceiling.",
    (mistakes, bound) =>
      `These points took ${count(mistakes, "mistake")}, of at most ${bound}; then a pass without one ends the run. Later drag a point towards the line of u, and see the bound rise.`,
    () =>
      "Why is a margin needed? Here one point has both labels. Its step takes from u·w instead of adding γ: the floor fails, and the run never ends.",
    () =>
      "The margin is back, and every line holds. Now take away something else: can you say first which line turns red?",
  ],
  rowMeaning: (k) => `Point ${k}: its height y u·x above the line of u.`,
  pointAtParts: "Point at a symbol, a number or a bar: the picture shows it.",
  proofPlace: (k, look) => `Mistake ${grouped(k)}, at look ${grouped(look)}.`,
  proofRight: (look) => `Look ${grouped(look)} is right: nothing is added.`,
  proofEnd: (k) => `The run is over after ${count(k, "mistake")}.`,
  proofRounded: "Rounding decided a sign of this recorded run: the proof ends here.",
  nextMistake: "Next mistake ↓",
  firstMistake: "First mistake",
  none: "none",
  gammas: (value) => `${value} γ`,
  floorTerms: (fromZero, eta) => {
    const rate = eta === 1 ? "" : "η";
    return {
      rise: "u·w′",
      before: "u·w",
      gain: `${rate}${rate && " "}y u·x`,
      least: `${fromZero ? "" : "u·w₀ + "}t${rate}γ`,
    };
  },
  atLeastGamma: (eta) => (eta === 1 ? "≥ γ" : "≥ ηγ"),
  ceilingTerms: (fromZero, eta) => {
    const [rate, square] = eta === 1 ? ["", ""] : ["η", "η²"];
    return {
      length: "‖w′‖²",
      before: "‖w‖²",
      middle: `2${rate} y w·x`,
      last: `${square}‖x‖²`,
      most: `${fromZero ? "" : "‖w₀‖² + "}t${square}R²`,
    };
  },
  tIs: (t) => `t = ${t}`,
  stepNames: { floor: "floor", ceiling: "ceiling" },
  atMostZero: "≤ 0",
  atMostRadius: (eta) => (eta === 1 ? "≤ R²" : "≤ η²R²"),
  gainName: (label) => (label > 0 ? "u·x" : "−u·x"),
  stepName: (eta) => (eta === 1 ? "y x" : "ηy x"),
  marginsLabel: "The height y u·x of each point, none below γ",
  riseLabel: (t) => `u·w after ${count(t, "mistake")}, a block for each, above the floor tγ`,
  lengthLabel: (t) => `‖w‖² after ${count(t, "mistake")}, below the ceiling tR²`,
  riseAxis: "u·w in γ",
  pointsAxis: "point",
  mistakesShort: "t",
  chain: (usual, square) =>
    usual
      ? `t²γ² ≤ (u·w)² ≤ ‖w‖² ≤ tR², so t ≤ R²/γ² ${square}`
      : `t²η²γ² ≤ (u·w)² ≤ ‖w‖² ≤ tη²R², so t ≤ R²/γ² ${square}`,
  chainStart: (eta, limit) =>
    `Together they allow t ≤ ${boundFrom(eta)} = ${limit}, where α = R²/γ`,
  noU: "Claim 1 needs a separator u: there is none.",
  nothingToProve: "The proof needs points.",
  floorName: (fromZero, eta) => `floor ${fromZero ? "" : "u·w₀ + "}t${eta === 1 ? "" : "η"}γ`,
  ceilingName: (fromZero, eta) => {
    const rate = eta === 1 ? "" : "η";
    return `ceiling ${fromZero ? `${rate}R√t` : `√(‖w₀‖² + t${rate && "η²"}R²)`}`;
  },
  mistakesAxis: "mistakes t",
  meets: (fromZero, eta, bound) =>
    `⌊${fromZero ? "(R/γ)²" : boundFrom(eta)}⌋ = ${bound}`,
  ofAtMost: (mistakes, bound) => `${grouped(mistakes)} of at most ${bound}`,
  noBound: "no bound: there is no separator",
  loose: "Why so loose?",
  looseSlope: (usual, slope, least, ratio) =>
    `Per mistake u·w grew by ${slope}, not by the ${usual ? "γ" : "ηγ"} = ${least} that the bound counts on: ${ratio} times as much.`,
  looseLength: (usual, share) =>
    `‖w‖² reached ${share} % of its ceiling ${usual ? "tR²" : "‖w₀‖² + tη²R²"}.`,
  centre: "Centre the data",
  centred: (mean, digits) =>
    `Minus the mean ${mean}, rounded to ${digits === 0 ? "whole numbers" : count(digits, "decimal")}.`,
  centreBeyond: `The centred points would be beyond the limits: numbers are ${LIMITS}.`,
  boundMoved: (before, after) => `The bound goes from ${grouped(before)} to ${grouped(after)}.`,
  boundCame: (after) => `There was no bound; now it is ${grouped(after)}.`,
  boundGone: (before) => `The bound was ${grouped(before)}; now there is no separator, and no bound.`,
  noBoundBoth: "There is no separator, before or after, and so no bound.",
  worstOrder: "Worst order",
  worstDrawn: (drawn) => `Worst of ${grouped(drawn)} random orders`,
  worstOfAll: (tried, before, after) =>
    `The worst of all ${grouped(tried)} orders makes ${after}, not ${before}.`,
  worstOfDrawn: (tried, before, after) =>
    `Of ${grouped(tried)} random orders the worst makes ${after}, not ${before}; another may make more.`,
  boundKnowsNoOrder: (bound) => `The bound ${grouped(bound)} knows no order.`,
  worstKept: (tried, before) => `None of ${grouped(tried)} orders makes more than these ${before}.`,
  worstCut: (looks) => `Runs were cut after ${grouped(looks)} looks.`,
  worstNever: "Without a separator every order makes mistakes for ever.",
  proofChart: (t, bound) =>
    `Both claims after ${count(t, "mistake")}; ${bound === null ? "they do not meet" : `they allow at most ${bound}`}.`,
};
