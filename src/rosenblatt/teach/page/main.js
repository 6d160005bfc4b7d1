// The page: builds its parts, connects them, and offers `window.lesson`.

import { CountError, LimitError } from "./engine/limits.js";
import {
  isChanged,
  packState,
  readAddress,
  readLesson,
  unpackState,
  writeAddress,
} from "./state/address.js";
import { withoutUnknown } from "./state/checks.js";
import { byId, wantsStill } from "../../utils/drawing/dom.js";
import { READY } from "./lessons/ready.js";
import { forgetSizes, PHONE, readTheme, watchSizes } from "./state/look.js";
import { drawnIdea, IDEAS, isExercise, Model, openTab } from "./state/model.js";
import { gotoBroken } from "./state/broken.js";
import { proofTexts } from "./state/proof.js";
import { strings } from "./strings.js";
import { buildConventions } from "./menus/conventions.js";
import { connectPaste, openHelp, openShare, openText, say } from "./menus/dialogs.js";
import { connectChoices, connectKeys } from "./menus/keys.js";
import { connectMenus } from "./menus/menu.js";
import { canSavePage, savePage, savePng, saveSvg } from "./menus/pictures.js";
import { buildTools, buildTopbar } from "./menus/topbar.js";
import { buildPlane } from "./plane/canvas.js";
import { buildEditing, connectEditing } from "./plane/editing.js";
import { buildBeyond } from "./view/beyond.js";
import { buildCompare } from "./view/compare.js";
import { buildExercise } from "./quiz/tab.js";
import { beginExercise } from "./quiz/quiz.js";
import { buildLesson } from "./view/lesson.js";
import { buildPanels } from "./view/panels.js";
import { buildProse } from "./lessons/prose.js";
import { buildProof } from "./proof/tab.js";
import { canTour, gotoTour, startTour } from "./proof/tour.js";
import { buildSheet } from "./view/sheet.js";
import { buildStep } from "./view/step.js";
import { buildTable } from "./view/table.js";
import { buildTransport } from "./view/transport.js";
import { buildVerdict } from "./view/verdict.js";
import { buildWeights } from "./view/weights.js";

const INTRO_MS = 800;
const INTRO_STEP_MS = 3200;
const ADDRESS_MS = 250;

const isPhone = matchMedia(PHONE);

const model = new Model();
const timers = { intro: 0, play: 0, address: 0 };

/** Stops what moves by itself: the reader has begun. */
function touched() {
  clearTimeout(timers.intro);
  if (model.fields.intro) model.set({ intro: false });
}

function walk(t) {
  touched();
  stopPlaying();
  model.set({ asking: false });
  model.goto(t);
}

/** Walks to a look; in a broken proof to a step of its run. */
function walkTo(t, brokenStep) {
  if (drawnIdea(model.fields) === "broken") gotoBroken(model, brokenStep);
  else walk(t);
}

function stopPlaying() {
  clearTimeout(timers.play);
  if (model.fields.playing) model.set({ playing: false });
}

function startPlaying() {
  touched();
  if (model.t >= model.furthest) model.goto(0);
  model.set({ playing: true, asking: false });
  const step = () => {
    if (!model.fields.playing) return;
    if (model.t >= model.furthest) {
      stopPlaying();
      return;
    }
    model.goto(model.t + 1);
    timers.play = setTimeout(step, 1000 / (model.fields.speed ?? 3));
  };
  step();
}

/** Takes the answer to "mistake?", and shows what happens. */
function answer(saysMistake) {
  touched();
  stopPlaying();
  if (model.t >= model.looks || isExercise(model.fields)) return;
  const mistake = model.run.wrong[model.t];
  model.goto(model.t + 1);
  model.set({ asking: true, answer: { right: saysMistake === mistake, mistake } });
}

function load(example) {
  touched();
  stopPlaying();
  model.load({ asking: false, ...example });
}

const act = {
  forward: () => walkTo(model.t + 1, (t) => t + 1),
  back: () => walkTo(model.t - 1, (t) => t - 1),
  first: () => walkTo(0, () => 1),
  last: () => walkTo(model.looks, () => Infinity),
  scrub: walk,
  toggle: () => (model.fields.playing ? stopPlaying() : startPlaying()),
  nextMistake: () => walkTo(lookOfMistake(1), (t) => t + 1),
  previousMistake: () => walkTo(lookOfMistake(-1), (t) => t - 1),
  nextState: () => walkStates(1),
  previousState: () => walkStates(-1),
  answer,
  load,
  tab: (tab) => {
    touched();
    model.set({ tab });
  },
  proof: () => {
    const { tab, idea } = model.fields;
    const next = IDEAS[(IDEAS.indexOf(idea) + 1) % IDEAS.length];
    act.tab("proof");
    if (tab === "proof") model.set({ idea: next, lit: null });
  },
  beyond: (beyond) => {
    if (model.isLocked("more") || isExercise(model.fields)) return;
    touched();
    model.set({
      beyond: model.fields.beyond === beyond ? "none" : beyond,
      tab: "beyond",
      sheet: false,
    });
  },
  conventions: () => model.set({ drawer: !model.fields.drawer }),
  projector: () => model.set({ projector: !model.fields.projector }),
  help: openHelp,
  close: () => model.set({ selected: null, proofShown: false, drawer: false, tour: null }),
  tour: () => {
    touched();
    stopPlaying();
    if (canTour(model)) startTour(model);
    else say(strings.noTour, true);
  },
  share: () => share(),
  shareEmbed: () => share({ embedded: true }),
  saveLesson: () => (canSavePage() ? savePage(lessonNow()) : say(strings.noFileHere, true)),
  savePng: () => savePng(model),
  saveSvg: () => saveSvg(model),
  openLesson,
  asText: () => openText(model, take),
};

/** Returns the look of the next mistake (the look before its update), or of the one before. */
function lookOfMistake(direction) {
  const { wrong } = model.run;
  for (let t = model.t + direction; t >= 0 && t < wrong.length; t += direction)
    if (wrong[t]) return t;
  return direction > 0 ? model.looks : 0;
}

function take(read) {
  touched();
  model.replace(read);
  model.set({ asking: false });
  say(strings.took(read.points.length, read.classes, read.hasNames));
}

/** Opens the link and the file of the lesson, or of what is shown where a reader has changed it. */
function share(rest) {
  const { tab, lesson } = model.fields;
  const packed = tab === "lesson" ? undefined : lesson.states[lesson.at];
  const shared = packed === undefined || !isChanged(packed, model.fields, model.looks);
  const save = () => savePage(shared ? lessonNow() : lessonShown());
  openShare(linkNow({ ...rest, shared }), canSavePage() ? save : null);
}

function addressNow(rest = {}) {
  const { title, states } = model.fields.lesson;
  const isReady = (name) => READY[name].states === states && READY[name].title === title;
  const ready = Object.keys(READY).find(isReady);
  return writeAddress(model.fields, { ...model.fields, ready, ...rest });
}

function linkNow(rest) {
  return location.href.split("#")[0] + addressNow(rest);
}

/** Returns the lesson, or the state as a lesson of one. */
function lessonNow() {
  const { title, states } = model.fields.lesson;
  return { title, states: states.length > 0 ? states : [packState(model.fields)] };
}

/** Returns the lesson with what is shown in the place of its state, at which it opens. */
function lessonShown() {
  const { title, states, at } = model.fields.lesson;
  return { title, states: states.map((kept, k) => (k === at ? packState(model.fields) : kept)), at };
}

/** Opens a lesson at its first state. */
function openLesson({ title = "", states }) {
  model.set({ lesson: { title, states, at: 0 } });
  openNumber(0);
  render();
  readProse();
}

/** Gives the keys to the prose, where there is more than one paragraph. */
function readProse() {
  if (model.fields.lesson.states.length > 1) byId("prose").focus({ preventScroll: true });
}

function openNumber(k) {
  const { lesson } = model.fields;
  if (!(k in lesson.states)) return;
  touched();
  stopPlaying();
  model.set({ lesson: { ...lesson, at: k } });
  openState(lesson.states[k]);
}

/** Returns the number of the state that a lesson opens with. */
function startOf({ at, states }) {
  return at in states ? at : 0;
}

/** Goes on or back in the tour, or in the lesson. */
function walkStates(step) {
  const { tour, lesson } = model.fields;
  if (tour === null) openNumber(lesson.at + step);
  else gotoTour(model, tour.at + step, tour.playing);
}

/** Opens a state of the lesson in the builder. */
function editNumber(k) {
  openNumber(k);
  model.set({ tab: "lesson" });
}

/** Keeps the state in the address, a moment after the last change. */
function keepAddress() {
  clearTimeout(timers.address);
  timers.address = setTimeout(() => {
    if (model.fields.dragging || model.fields.intro) return;
    try {
      history.replaceState(null, "", addressNow());
    } catch {
      // A page without an address of its own, as in a notebook, keeps none.
    }
  }, ADDRESS_MS);
}

/**
 * Shows a state of a lesson or of an address; names that the page does not have are told. On the
 * same points the line moves from one look to the next.
 */
function openState(packed) {
  const { known, faults } = withoutUnknown(packed);
  const { conventions, t, ...fields } = unpackState(known);
  const [before, from] = [model.written, model.t];
  model.load({ ...fields, conventions, asking: fields.asking || t === 0, lit: fields.lights });
  model.set({ t: model.written === before ? from : t });
  model.goto(t);
  if (fields.quiz !== "") beginExercise(model, fields.quiz);
  if (faults.length > 0) say(faults.join(" "), true);
}

/** Tells why a link or a file cannot be shown. */
function sayFault(fault, words) {
  if (fault instanceof LimitError) say(strings.beyondLimits(fault.value), true);
  else say(fault instanceof CountError ? strings.textFaults.manyPoints(fault.count) : words, true);
}

function startIntro() {
  model.set({ intro: true });
  if (wantsStill()) return;
  const step = (left) => {
    if (!model.fields.intro) return;
    model.goto(model.t + 1); // it still asks for the look ahead, of which nothing is told
    if (left > 1) timers.intro = setTimeout(step, INTRO_STEP_MS, left - 1);
    else model.set({ intro: false });
  };
  timers.intro = setTimeout(step, INTRO_MS, 2);
}

const editing = buildEditing(model, { touched, say });

const renders = [
  buildTopbar(model, act),
  buildProse(model, openNumber),
  buildConventions(model),
  buildTools(model, act),
  buildPlane(model),
  buildSheet(model),
  buildStep(model, answer),
  buildVerdict(model, say),
  buildTransport(model, act),
  buildPanels(model, {
    proof: buildProof,
    weights: buildWeights,
    table: buildTable,
    beyond: buildBeyond,
    compare: buildCompare,
    exercise: buildExercise,
    lesson: (_, panel) =>
      buildLesson(model, panel, { open: editNumber, share: act.share, save: act.saveLesson }),
  }),
];

let frame = 0;
function render() {
  cancelAnimationFrame(frame);
  frame = 0;
  const { projector, embedded, hidden, lesson, result } = model.fields;
  const title = lesson.title || strings.title;
  if (document.title !== title) document.title = title;
  document.documentElement.classList.toggle("projector", projector);
  document.documentElement.classList.toggle("embedded", embedded);
  document.documentElement.classList.toggle("compact", embedded || !isPhone.matches); // where it is low
  document.documentElement.dataset.hidden = hidden.join(" ");
  document.documentElement.classList.toggle("exercising", isExercise(model.fields) || result !== null);
  document.documentElement.dataset.tab = openTab(model.fields) ?? "";
  document.documentElement.dataset.idea = drawnIdea(model.fields) ?? "";
  readTheme();
  for (const draw of renders) draw();
}

function later() {
  if (frame === 0) frame = requestAnimationFrame(render);
}

model.listen(later);
model.listen(keepAddress);
watchSizes(later);
addEventListener("resize", () => {
  forgetSizes();
  later();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", later);
matchMedia("print").addEventListener("change", () => {
  forgetSizes();
  render(); // at once: paper has its own sizes and colours
});
connectEditing(model, editing);
connectKeys(model, act, editing);
connectPaste(model, take);
connectMenus();
connectChoices();

/** The documented object of the page, for checks from outside and for embedding. */
window.lesson = {
  load(example) {
    load(example);
    return model.snapshot();
  },
  goto(t) {
    walk(t);
    return model.snapshot();
  },
  state: () => model.snapshot(),
  proof: (t) => proofTexts(model, t),
};

const given = readAddress(location.hash);
const data = byId("lesson-data")?.textContent ?? "null";
const file = data === "null" ? {} : readLesson(data);
model.set({ embedded: given.embedded });
if (given.fault) sayFault(given.fault, strings.damagedLink);
if (file.fault) sayFault(file.fault, strings.damagedFile);
const ready = Object.hasOwn(READY, given.ready ?? "") ? { ...READY[given.ready], at: given.at } : null;
const opened = given.lesson ?? ready ?? (file.value && { at: 0, ...file.value });
if (opened) model.set({ lesson: { title: "", ...opened, at: startOf(opened) } });
else if (given.ready !== null) say(strings.noReady(given.ready), true);
if (given.state) openState(given.state);
else if (model.fields.lesson.states.length > 0) openNumber(model.fields.lesson.at);
else if (!given.still) startIntro();
if (given.edits) act.tab("lesson");
addEventListener("hashchange", () => readAddress(location.hash).edits && act.tab("lesson"));
render();
if (!given.embedded) readProse();
