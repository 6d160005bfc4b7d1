// The guided tour of the proof, on the points at hand: a sentence or two, and what they speak of.

import { ASSUMPTIONS } from "../engine/broken.js";
import { lookOfUpdate } from "../engine/run.js";
import { el, setText, wantsStill } from "../../../utils/drawing/dom.js";
import { number } from "../state/format.js";
import { hidesVerdict } from "../state/model.js";
import { strings } from "../strings.js";

/** The time of a step: a letter's at 170 words a minute, and that for a look at picture and chart. */
const [LETTER_MS, PICTURE_MS] = [65, 9000];

/** What each step shows: the idea, the mistake (Infinity is the last, none the end), and what is lit. */
const TOUR = [
  { idea: "separator", mistake: 1, lit: null },
  { idea: "separator", mistake: 1, lit: "u" },
  { idea: "separator", mistake: 1, lit: "gamma" },
  { idea: "separator", mistake: 1, lit: "radius" },
  { idea: "floor", mistake: 1, lit: "gain" },
  { idea: "floor", mistake: 2, lit: "least" },
  { idea: "floor", mistake: Infinity, lit: "rise" },
  { idea: "ceiling", mistake: 2, lit: "middle" },
  { idea: "ceiling", mistake: 2, lit: "last" },
  { idea: "ceiling", mistake: Infinity, lit: "most" },
  { idea: "bound", lit: null },
  { idea: "bound", lit: "least" },
  { idea: "broken", broken: ASSUMPTIONS[0], lit: "gain" },
  { idea: "broken", lit: null },
];

/** What pauses the tour where it changes otherwise: the reader looks at something else. */
const OWN_STEPS = ["tab", "idea", "broken", "brokenStep", "points", "conventions", "t"];

/** Returns whether the points have a proof and a mistake, and nothing of it is hidden. */
export function canTour({ run, found, fields }) {
  const isHidden = hidesVerdict(fields) || fields.hidden.includes("proof");
  return !isHidden && found.separable && run.wrong.includes(true);
}

/** Goes to a step of the tour; after the last one it waits there. */
export function gotoTour(model, to, playing) {
  const at = Math.min(Math.max(0, to), TOUR.length - 1);
  const { mistake, idea, broken = "none", lit } = TOUR[at];
  const { run, looks } = model;
  const t = mistake ? lookOfUpdate(run, Math.min(mistake, run.weights.length - 1)) : looks;
  const shown = { tab: "proof", idea, broken, brokenStep: null, lit, t, asking: false, answer: null };
  model.set({ ...shown, tour: { at, lit, playing: playing && at < TOUR.length - 1 } });
}

/** Starts the tour; where the reader asked for less motion, it waits at each step. */
export function startTour(model) {
  gotoTour(model, 0, !wantsStill());
}

/** Returns the sentences of a step. */
function tourWordsOf({ run, found }, at) {
  return strings.tourSteps[at](run.weights.length - 1, number(found.bound));
}

/** Builds the tour into a panel: its button beside the ideas, and its box while it runs. */
export function buildTour(model, ideas, panel) {
  const start = el("button", {
    id: "tour",
    className: "small",
    textContent: strings.tourStart,
    title: strings.tour,
    onclick: () => startTour(model),
  });
  const words = el("p", { className: "tour-words", "aria-live": "polite" });
  const progress = el("progress", { max: TOUR.length, "aria-label": strings.tour });
  const place = el("span", { className: "tour-place" });
  const button = (id, textContent, onclick) => el("button", { id, className: "small", textContent, onclick });
  const go = (step) => () => gotoTour(model, model.fields.tour.at + step, model.fields.tour.playing);
  const back = button("tour-back", strings.tourBack, go(-1));
  const pause = button("tour-pause", strings.tourPause, () => {
    const { at, playing } = model.fields.tour;
    gotoTour(model, at, !playing);
  });
  const next = button("tour-next", strings.tourNext, go(1));
  const end = button("tour-end", strings.tourEnd, () => model.set({ tour: null, lit: null }));
  const row = el("div", { className: "tour-row" }, progress, place, back, pause, next, end);
  const box = el("section", { className: "tour", "aria-label": strings.tour }, row, words);
  ideas.append(start);
  panel.append(box);
  let timer = 0;
  model.listen((changed) => {
    const { tour } = model.fields;
    if (tour === null) clearTimeout(timer);
    else if (changed.includes("tour")) {
      clearTimeout(timer);
      const time = PICTURE_MS + LETTER_MS * tourWordsOf(model, tour.at).length;
      if (tour.playing) timer = setTimeout(() => gotoTour(model, tour.at + 1, true), time);
    } else if (!canTour(model)) model.set({ tour: null });
    else if (tour.playing && OWN_STEPS.some((name) => changed.includes(name)))
      model.set({ tour: { ...tour, playing: false } });
  });
  return () => {
    const { tour } = model.fields;
    start.hidden = tour !== null || !canTour(model);
    box.hidden = tour === null;
    if (tour === null) return;
    const { at, playing } = tour;
    const isLast = at === TOUR.length - 1;
    setText(words, tourWordsOf(model, at));
    progress.value = at + 1;
    setText(place, strings.stateOf(at + 1, TOUR.length));
    back.disabled = at === 0;
    next.disabled = pause.disabled = isLast;
    setText(pause, playing ? strings.tourPause : strings.tourPlay);
  };
}
