// Every word of the page.

import { POINT_LIMIT } from "./engine/limits.js";
import { count } from "./state/format.js";
import { LIMITS, proofStrings } from "./proof/words.js";
import { quizStrings } from "./quiz/words.js";

const POWERS = ["", "", "²", "³", "⁴", "⁵"];

export const strings = {
  ...proofStrings,
  ...quizStrings,
  title: "The perceptron, step by step",
  brand: "rosenblatt",
  examples: {
    eight: "Eight points",
    two: "Two points (ECE M146)",
    wide: "Wide margin",
    thin: "Thin margin",
    shifted: "Far from the origin",
    outlier: "One close pair",
    segment: "Not separable: a segment",
    xor: "Not separable: XOR",
    overlap: "Not separable: overlap",
    ring: "A ring",
  },
  ownPoints: "Own points",
  points: "Points",
  sources: {
    lecture25: "Lecture 25: through the origin",
    online: "The Perceptron Algorithm, online",
    kernels: "Perceptrons and kernels",
    ece146: "ECE M146: any wrong point",
    notebook: "The notebook: correction",
    sklearn: "scikit-learn, without shuffling",
  },
  ownConventions: "own choice",

  // The plane
  planeLabel: "The plane with the points and the line",
  pointWords: (k, x, label) => `Point ${k}: ${x}, label ${label}.`,
  noPointsYet: "Click to add a point",
  noLineYet: "no line yet: w = (0, 0)",
  noLineNow: "no line: w = (0, 0)",
  arrowScale: (k) => `arrows 1 : ${k}`,
  roundedRun: "Rounding decided a sign: the run of these decimals is another.",
  roundedSign: " in floating point: rounding decided the sign, not these decimals",
  tieNote: (tie) => (tie === 0 ? "score 0: a mistake" : `sgn(0) = ${tie > 0 ? "+1" : "−1"}`),
  offsetNote: (offset) => (offset === "none" ? "through the origin" : "with offset b"),
  orderNote: { cyclic: "in order", shuffled: "shuffled", own: "own order" },
  addNegative: "Add class −1 (key 1)",
  addPositive: "Add class +1 (key 2)",
  move: "Move points",
  remove: "Delete the selected point (Delete)",
  undo: "Undo (Ctrl Z)",
  redo: "Redo (Ctrl Y)",
  clear: "Remove all points",
  fit: "Fit the view to the points",
  ownScales: "the scales of x and y differ: angles do not look right",
  lockedHere: "Locked here",
  pointsLocked: "Points are locked in this state.",
  asText: "Points as text",
  describe: ({ positive, negative, line, t, looks, current, status }) =>
    `${count(positive, "point")} of class +1, ${negative} of class −1. ${line} Look ${t} of ${looks}. ${current} ${status}`,
  lineWords: (w, b) => `The line is ${w} times x plus ${b} equals 0.`,
  curveWords: (alpha) => `The curve has α = ${alpha}.`,
  noLineWords: (mistakes) =>
    mistakes > 0 ? "There is no line: w is 0." : "There is no line yet.",
  currentWords: (x, y) => `The next example is ${x} with label ${y}.`,

  signs: {
    now: "the line",
    next: "after this look",
    w: "w",
    step: "y x",
    curve: "f(x) = 0",
    term: "αᵢ yᵢ xᵢ",
    alpha: "mistakes on it",
    breaks: "turns wrong",
    u: "u",
    band: "within γ of its line",
    circle: "‖x‖ = R",
    gain: "gain along u",
  },
  signsTitle: "Lines, arrows and marks",

  // This step
  thisStep: "This step",
  alphaUnchanged: "α stays as it is.",
  finalAlpha: (alpha) => `α = ${alpha}`,
  raised: (base, d) => `${base}${POWERS[d]}`,
  manyTerms: (n, b) => `${n} terms + ${b}`,
  emptyPlane: "No points yet.",
  emptyHint:
    "Click the plane to add one, Shift-click for the other class. Or paste lines “x y label”.",
  lookOf: (t, looks, epoch) => `look ${t} of ${looks} · epoch ${epoch}`,
  end: (looks) => `end · ${count(looks, "look")}`,
  exampleLine: (x, y) => `x = ${x},  y = ${y}`,
  askLine: (w, b, score, predicted) => `w = ${w}${b}: score ${score} → predicts ${predicted}.`,
  askOffset: (b) => `, b = ${b}`,
  askTie: (w, b, score) => `w = ${w}${b}: score ${score}.`,
  isMistake: "Mistake?",
  yes: "yes",
  no: "no",
  next: "→ next",
  nextOrDrag: "→ next · drag any point",
  dragHint: "Drag any point: the whole run follows.",
  predicts: (compared, predicted) => `${compared} → predicts ${predicted}`,
  tie: "a score of 0 is a mistake",
  right: "right",
  mistake: "mistake",
  unchanged: "w stays as it is.",
  answered: (right, mistake) =>
    `${right ? "Yes" : "No"}: the last look was ${mistake ? "a mistake" : "right"}.`,
  finalLine: (w, b) => `w = ${w}${b}`,
  doneTexts: {
    converged: "All points are on their side.",
    ended: "One pass is over; some points are still wrong.",
    cycles: "The same looks come again, for ever.",
    open: "Stopped here: neither an end nor a repetition so far.",
    untold: "The run stops here.",
  },

  // The verdict
  so: (mistakes, bound, name) => `${mistakes} so far, at most ${bound}: ${name} allows no more.`,
  boundName: (fromZero, eta) =>
    fromZero ? "(R/γ)²" : `‖w₀${eta === 1 ? "" : "/η"} − αu‖²/R² with α = R²/γ`,
  soWithout: (mistakes) => `${mistakes} so far.`,
  converged: (mistakes, epochs, bound) =>
    `Converged: ${mistakes} in ${epochs}; at most ${bound} were possible.`,
  endedVerdict: (mistakes, errors, bound) =>
    `One pass: ${mistakes}, ${errors} still wrong; at most ${bound}, however long.`,
  openVerdict: (looks, bound) =>
    `No end after ${count(looks, "look")}. It will end: at most ${bound}.`,
  notSeparable: (equation) => `Not separable: ${equation}.`,
  notSeparableOrigin: (equation) => `No line through the origin: ${equation}.`,
  show: "Show",
  hide: "Hide",
  repeats: (first, period) =>
    first === 0
      ? `w repeats after ${count(period, "look")}: proved.`
      : `From look ${first + 1}, w repeats every ${count(period, "look")}: proved.`,
  noProofShuffled: "In a shuffled order a repeated w proves nothing.",
  noRepeat: (looks) => `No repeated w in ${count(looks, "look")}.`,

  // Transport
  first: "First look (Home)",
  back: "One look back (←)",
  play: "Play (Space)",
  pause: "Pause (Space)",
  forward: "One look on (→)",
  last: "Last look (End)",
  scrubber: "Look",
  scrubberText: (t, looks, mistakes) =>
    `${t < looks ? `look ${t + 1} of ${looks}` : `end of ${count(looks, "look")}`}, ${mistakes} so far`,
  speed: "Speed",
  speeds: { 1: "slow", 3: "medium", 12: "fast" },

  // Tabs
  tabs: {
    proof: "Proof",
    weights: "Weights",
    table: "Table",
    beyond: "Beyond",
    compare: "A | B",
    exercise: "Exercises",
    lesson: "Lesson",
  },
  panels: "Panels",
  openSheet: "Show the panels",
  closeSheet: "Show the plane",
  weightsOrigin: "The plane of w. Each example allows a half-plane; the solutions are the cone.",
  weightsSlice: (b) => `The plane of w, a slice at b = ${b}: each example allows a half-plane.`,
  weightsPath: "The path of w is projected onto it.",
  weightsClosed: (n) => `The path closes: a polygon of ${count(n, "correction")}, for ever.`,
  weightsLabel: "The plane of the weights",
  solutions: "solutions",
  noSolutions: (withOffset) => (withOffset ? "no solution in this slice" : "no solution"),
  alphaAfter: "α after",
  columns: ["look", "point", "label", "score", "predicts", "", "w after"],
  notYet: "?",
  tableNote: (from, to, all) => `Looks ${from} to ${to} of ${all}`,

  // The bar and the dialogs
  conventions: "Conventions",
  conventionsTitle: "Conventions (C)",
  share: "Share",
  shareTitle: "Share this page",
  shareHint:
    "The link holds the points, the conventions and the look. Nothing is stored elsewhere.",
  localLink:
    "It opens on this computer only, where this page is. For others: save the page as a file and send that, or put the part of the link from # on behind the address of a hosted page.",
  link: "Link",
  damagedLink: "The link is damaged: not all of it could be read.",
  damagedFile: "The lesson of this file is damaged: it could not be read.",
  noReady: (name) => `No ready lesson is called “${name}”.`,
  unknownNames: {
    tab: (name) => `No tab is called “${name}”: the first one is shown.`,
    idea: (name) => `The proof has no step “${name}”: the fourth one is shown.`,
    broken: (name) => `The proof has no assumption “${name}”: none is removed.`,
    beyond: (name) => `No view is called “${name}”: the perceptron is shown.`,
    degree: (name) => `The kernel has no degree ${name}: it has 2.`,
    quiz: (name) => `No question is called “${name}”: there is no exercise.`,
    hidden: (name) => `Nothing that is called “${name}” can be hidden.`,
    locked: (name) => `Nothing that is called “${name}” can be locked.`,
  },
  limits: `Numbers are ${LIMITS}.`,
  beyondLimits: (value) => `${value} is beyond the limits: numbers are ${LIMITS}.`,
  copy: "Copy",
  copied: "Copied.",
  copyByHand: "Press Ctrl C to copy the link.",
  projector: "Projector",
  projectorTitle: "Projector: larger and darker (F)",
  help: "Keys and editing",
  helpTitle: "Keys and editing (?)",
  close: "Close (Escape)",
  keys: [
    ["→ ←", "a look on, a look back"],
    ["↓ ↑", "the next, the last mistake"],
    ["Space", "play and pause"],
    ["Home End", "first and last look"],
    ["M R", "answer: a mistake, or right"],
    ["1 2", "add points of class −1, of class +1"],
    ["P W T", "proof and its next step, weights, table"],
    ["L V", "lift, votes"],
    ["C F", "conventions, projector"],
    ["PageDown PageUp", "the next, the last part of a lesson"],
    ["N Shift+N", "select the next, the last point"],
    ["Shift+→ Shift+↑", "move the selected point"],
    ["Enter", "add a point in the middle"],
    ["Delete", "remove the selected point"],
    ["Ctrl+Z Ctrl+Y", "undo, redo"],
  ],
  helpEditing:
    "Click adds a point, Shift-click one of the other class; drag to move it. Paste or drop lines “x y label”, or a CSV.",
  helpExact:
    "Clicks snap to whole numbers, so every number here is exact: a line, a bound, a cycle or a proof that no line exists.",
  textHint:
    "One point a line: x y label. Labels are −1 and +1, or any two words. A first line may name the axes.",
  take: "Use these points",
  took: (n, [negative, positive], hasNames) =>
    [
      `${count(n, "point")}.`,
      ...(hasNames ? ["First line read as names."] : []),
      ...(negative && positive ? [`Class −1 is ${negative}, class +1 is ${positive}.`] : []),
    ].join(" "),
  textFaults: {
    noPoints: "No points: write one a line, as x y label.",
    manyPoints: (n) => `${n} points are too many: the page shows at most ${POINT_LIMIT}.`,
    threeCells: (line, n) => `Line ${line} has ${count(n, "value")}, not the three of x y label.`,
    manyCells: (line, n) =>
      `Line ${line} has ${n} values, not the three of x y label. To leave columns of a file out: rosenblatt teach FILE --schema name:id`,
    noNumber: (line, text) => `Line ${line}: “${text}” is not a number.`,
    labelLast: (line, text) => `Line ${line}: “${text}” is not a number: the label comes last.`,
    beyondLimits: (line, text) =>
      `Line ${line}: ${text} is beyond the limits: numbers are ${LIMITS}.`,
    twoClasses: (names) => `More than two labels: ${names.slice(0, 4).join(", ")}. Name two; the label comes last.`,
  },
  picks: {
    every: "every row in turn",
    first: "the first wrong row",
    last: "the last wrong row",
    next: "the next wrong row",
    worst: "the worst row",
    random: "a random wrong row",
  },

  // Conventions
  sourcesTitle: "Sources",
  sourceNotes: {
    lecture25: "sgn(0) = −1, no offset, one pass",
    online: "sgn(0) = +1, no offset, one pass",
    kernels: "sgn(0) = −1, b beside w, until all are right",
    ece146: "sgn(0) = +1, (1, x), the first wrong point",
    notebook: "a·x ≤ 0 is a mistake, (1, x), a start that is not 0",
    sklearn: "a score of 0 is a mistake, b beside w",
  },
  badConvention: "That is not possible: η is above 0, and the start is w1, w2, b.",
  conventionLabels: {
    tie: "A score of 0",
    offset: "Offset",
    eta: "Rate η",
    start: "Start w1, w2, b",
    order: "Order",
    pick: "Looks at",
    stop: "Ends when",
    seed: "Seed of the shuffle",
  },
  ties: { "-1": "sgn(0) = −1", 0: "is a mistake: y·s ≤ 0", 1: "sgn(0) = +1" },
  offsets: {
    last: "b after w: (x, 1)",
    first: "b before w: (1, x)",
    none: "none: through the origin",
  },
  stops: {
    right: "all points are right",
    quiet: "an epoch has no mistake",
    pass: "one pass is over",
  },

  // Beyond
  beyond: {
    none: "Perceptron",
    dual: "Dual",
    lift: "Lift",
    votes: "Votes",
    margin: "Widest band",
    kernel: "Kernel",
    pocket: "Pocket",
  },
  beyondTitle: "Beyond",
  beyondNothing: "Choose what to see on the same points.",
  kernelName: "Kernel",
  degree: (d) => `(1 + x·x′)${POWERS[d]}`,
  liftLabel: "The bowl z = x² + y² with the lifted points and the plane that separates them",
  liftText:
    "Each point moves up to z = x² + y². A plane cuts the bowl in a curve that is a circle from above.",
  liftSum: "f(x) = w·(x, y, x² + y²) + b, and w is the sum of the αᵢ yᵢ (xᵢ, yᵢ, xᵢ² + yᵢ²).",
  kernelText: (d) =>
    `f(x) = Σ αᵢ yᵢ (1 + xᵢ·x)${POWERS[d]} + b: polynomials of degree ${d}, never written down.`,
  dualText: (w, terms) => `w = Σ αᵢ yᵢ xᵢ = ${terms} = ${w}`,
  dualSum: (eta, fromZero) =>
    `A mistake adds y x to w. So w is a sum of examples: αᵢ counts the mistakes on point i${eta === 1 ? "" : `, each with η = ${eta}`}${fromZero ? "" : ", after the start"}.`,
  gramText: (name, withOffset) =>
    `A score needs only the ${name} of pairs: a row of this Gram matrix times the αᵢ yᵢ above it${withOffset ? ", and b," : ""} is the score on the right.`,
  linearKernel: "x·x′",
  gramLabel: (n) => `The Gram matrix of ${count(n, "point")}, with αᵢ yᵢ above it and f(xᵢ) beside it`,
  barLabels: {
    votes: "The votes of each weight vector so far",
    margin: "The distance of each point from the middle of the widest band",
    pocket: "The wrong points after each mistake",
  },
  barAxes: { votes: "w after mistake", margin: "point", pocket: "mistakes" },
  kernelRight: (mistakes) => `The curve has all points right after ${mistakes}.`,
  kernelStopped: (mistakes) => `The curve has not all points right after ${mistakes}.`,
  votesText: (voters, looks) =>
    looks === 0
      ? "Each weight vector votes as often as it survives a look: no votes yet."
      : `Votes of ${count(voters, "weight vector")}, each as often as it survived: ${count(looks, "vote")}. The shade is their share.`,
  votesErrors: (last, average, votes) =>
    `Wrong points: w (dashed) ${last}, average (green) ${average}, vote ${votes}.`,
  votesLongest: (w, n) => `The most votes, ${n}, has w = ${w}.`,
  bandText: (margin, support) =>
    `The widest band reaches ${margin} to both sides. ${support} points hold it.`,
  ownMargin: (margin) => `The perceptron’s line has the margin ${margin}.`,
  noBand: "No band: no line separates the points.",
  bandUntold: "The lesson hides the verdict, and with it the band.",
  pocketText: "The pocket keeps the w that was wrong on the fewest points (purple).",
  pocketNumbers: (k, best, last) =>
    `w after mistake ${k}: ${best} wrong. The last w: ${last} wrong.`,

  // A | B
  compareSource: "Conventions of B",
  compareOrder: "Order of B",
  compareOutput: "Line of B",
  comparePlane: "The plane of run B",
  otherOrders: {
    reversed: "reversed",
    shuffled: "shuffled",
    sorted: "by class",
    same: "same order",
  },
  outputs: { last: "last w", average: "average" },
  compareNow: "mistakes so far",
  compareAll: "mistakes in all",
  compareLooks: "looks",
  compareEnd: "end",
  compareBound: "bound",
  compareMargin: "margin at the end",
  ends: { converged: "converged", ended: "one pass", cycles: "cycles", open: "open" },

  // Challenges
  challenges: "Challenges, with your own points",
  challengesHint: "Loaded points do not count: add, move or delete one.",
  challengeTexts: {
    seven: { title: "Exactly 7 mistakes", value: (n) => `with ${count(n, "point")}` },
    cycle: { title: "The longest cycle with 4 points", value: (n) => count(n, "look") },
    bound: { title: "Reach the bound", value: (n) => `${n} % of it` },
  },
  noRecord: "no record yet",
  record: (words) => `record: ${words}`,
  now: (words) => `now ${words}`,

  // Lessons
  ready: "Lessons",
  readyTitles: {
    lecture25: "Lecture 25: why it stops",
    online: "Online: count mistakes",
    kernels: "Kernels: beyond the line",
    ece146: "ECE M146: orders and votes",
    notebook: "The notebook: no separator",
    proof: "The proof",
    beyond: "Beyond separable",
  },
  prose: "The text of the lesson",
  backToText: "Back to the text",
  pointList: (points) =>
    points.length === 1 ? `point ${points[0]}` : `points ${points.join(" and ")}`,
  lessonTitle: "Title of the lesson",
  note: "Note",
  notePlaceholder: "A note for this state",
  addState: "Add this state to the lesson",
  updateState: "Replace",
  changedState: "changed: Replace to keep",
  removeState: "Remove",
  stateName: (k) => `State ${k}`,
  stateOf: (k, all) => `${k} of ${all}`,
  hiddenTitle: "Hide",
  lockedTitle: "Lock",
  lockHint: "Locks bind readers, not you. #edit behind the address opens this tab again.",
  hidden: {
    step: "This step",
    proof: "Proof",
    weights: "Weights",
    table: "Table",
    verdict: "Verdict and Proof",
  },
  locked: { editing: "Points", conventions: "Conventions", examples: "Examples", more: "Menus" },
  shareLesson: "Share as a link",
  saveLesson: "Save as a file",
  noFileHere: "The page was not opened as one file: share a link instead.",
  more: "More",
  savePng: "Plane as PNG",
  saveSvg: "Plane as SVG",
  print: "Print",
  embed: "Link for embedding",
};
