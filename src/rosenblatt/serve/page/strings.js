// Every text of the page.

import { brief, count, percent, size } from "./state/format.js";

export const strings = {
  brand: "rosenblatt",
  live: "live",
  waiting: "waiting for the service",
  needsToken: "needs a token",
  models: "Models",
  inShort: (model) =>
    model.examples
      ? `${size(model.examples)} learned · ${percent(model.error)}`
      : "nothing learned yet",
  alarm: "drift alarm",
  diskFails: (fault) => `The disk refuses examples: ${fault}`,
  overflowed: (version) =>
    `The weights left the floating-point range at version ${version}: erase that version, or roll back to an earlier one.`,

  // tiles
  error: "Error so far",
  interval: ([low, high]) => `95 % sure: ${percent(low).slice(0, -2)}\u00a0–\u00a0${percent(high)}`,
  lastThousand: "Last 1,000",
  constant: ({ label, error }) => `always “${brief(label)}”: ${percent(error)}`,
  mistakes: "Mistakes",
  ofExamples: (n) => `of ${count(n, "example")}`,
  learned: "Learned",
  predicted: "Predicted",
  aSecond: "a second",
  inAll: (n) => `${size(n)} since the start`,
  drift: "Drift",
  calm: "calm",
  noAlarm: "the error has not risen",
  alarmAt: (alarm) => `at ${size(alarm.example)}`,
  rose: (alarm) => `since ${size(alarm.since)}: ${percent(alarm.before)} → ${percent(alarm.after)}`,
  nothing: "–",

  // the whole service
  service: "The whole service",
  serviceNote: "all models together",

  // progress
  progress: "Progressive error",
  progressNote: "each example is predicted before it is learned",
  curve: "error",
  band: "95 % interval",
  windowed: "last 1,000",
  baseline: "most frequent label",
  alarms: "drift alarm",
  chartWords: (model) =>
    `Error after ${count(model.examples, "example")}: ${percent(model.error)}, ` +
    `with 95 % confidence between ${percent(model.interval[0])} and ${percent(model.interval[1])}.`,
  pointWords: (point) =>
    `after ${size(point.examples)}: ${percent(point.error)} ` +
    `(${percent(point.interval[0])} – ${percent(point.interval[1])}), ` +
    `last 1,000 ${percent(point.windowed)}`,
  examplesAxis: "examples",
  waitsForExamples: "Waits for the first examples.",

  // confusion
  confusion: "Confusion",
  confusionNote: "rows: the label; columns: the prediction",
  noPrediction: "none",
  labelCorner: "label",

  // features
  heaviest: "Heaviest features",
  twoLabels: (second, first) => `to the right for “${brief(second)}”, to the left for “${brief(first)}”`,
  severalLabels: "to the right for the label, to the left against it",
  effects: (sides) => `weight × spread of the feature; ${sides}`,

  // examples
  recent: "Recent examples",
  recentNote: "correct a label: the model learns the example with the other one",
  held: "held while you are here",
  right: "predicted",
  wrong: "not predicted",
  version: (n) => `version ${n}`,
  more: (n) => `and ${n} more`,
  correctWords: (label, version) => `Correct version ${version}: it is ${label}`,
  correctChoice: (version) => `Correct version ${version}`,
  choose: "correct to…",
  corrected: (label, version) => `learned as “${brief(label)}” · version ${version}`,
  noExamples: "None since the service started.",
  readsNothing: "shown to a token with the scope admin",

  // latency
  latency: "Latency",
  latencyNote: "at the server, in this page’s last minute",
  kind: "what",
  median: "median",
  slowest: "99 %",
  spread: "spread",
  kinds: { predict: "predict", learn: "learn, durable", commit: "disk commit" },
  spreadWords: (bounds) => `Number of requests by time, from ${bounds[0]} to ${bounds[1]}`,
  commits: (each, perSecond) => `${perSecond} commits a second, with ${each} ${each === "1" ? "request" : "requests"} each`,
  noCommits: "no commit in this minute",

  // history
  history: "History",
  historyNote: ({ first, last }) =>
    last ? `versions ${size(first)} to ${size(last)} are kept` : "no version yet",
  snapshots: "Snapshots",
  noSnapshots: "none yet",
  changes: "Changes",
  noChanges: "examples alone",
  whats: {
    rollback: "rolled back",
    file: "model file put in",
    promotion: "promoted",
    erasure: "example erased",
    erased: "erased",
    start: "log starts here",
  },

  // shadows
  shadows: "Shadows",
  shadowsNote: "other configurations that learn the same examples",
  name: "model",
  config: "configuration",
  usual: "perceptron",

  // without models, and the token
  noModels: "No model yet",
  createFirst: "Create one, teach it, and watch it here:",
  tokenTitle: "Token",
  tokenNote: "This service answers those who bear a token, here one with the scope predict; with admin and learn, too, examples can be corrected. It stays in this tab until you close it.",
  tokenLabel: "Token",
  tokenWrong: "The service does not know this token.",
  open: "Open",
  forget: "Forget the token",
};
