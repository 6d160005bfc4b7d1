// The prose of a lesson beside the plane: the paragraph in the middle is the state that is shown.

import { isChanged } from "../state/address.js";
import { byId, el, setText, wantsStill } from "../../../utils/drawing/dom.js";
import { strings } from "../strings.js";
import { proseOf } from "./facts.js";

/** The room below the prose, which is above the plane on a projector, in pixels. */
const NOTE_GAP = 10;

/** The keys that go on and back where the prose has the focus. */
const PROSE_KEYS = { ArrowDown: 1, PageDown: 1, " ": 1, ArrowUp: -1, PageUp: -1 };

/** Builds the dots of the bar and the prose; `open` shows a state by its number. */
export function buildProse(model, open) {
  const box = byId("lesson-note");
  const title = el("h2");
  const place = el("span");
  const back = el("button", {
    id: "back-to-text",
    className: "small",
    textContent: strings.backToText,
    onclick: () => open(model.fields.lesson.at),
  });
  const head = el("div", { className: "head" }, title, back, place);
  const list = el("div", { id: "prose", tabIndex: 0, role: "group", "aria-label": strings.prose });
  const told = el("p", { className: "unseen", role: "status" });
  box.append(head, list, told);
  const renderDots = buildDots(model, open);
  let written = "";
  let shown = -1;
  const choose = (k) => {
    const { at } = model.fields.lesson;
    if (k !== at && at === shown) open(k); // a choice that is not drawn yet comes first
  };
  const scroller = buildScroller(list, choose);
  list.addEventListener("keydown", (event) => {
    const { states, at } = model.fields.lesson;
    const { key, shiftKey } = event;
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || (shiftKey && key !== " "));
    const to = { Home: 0, End: states.length - 1 }[key] ?? at + (shiftKey ? -1 : 1) * PROSE_KEYS[key];
    if (!isPlain || states.length < 2 || Number.isNaN(to)) return;
    event.preventDefault();
    event.stopPropagation();
    open(to);
  });
  return () => {
    const { lesson, note } = model.fields;
    const { states, at } = lesson;
    const now = states.length > 0 ? states.map(proseOf) : [note];
    const isNew = JSON.stringify(now) !== written;
    if (isNew) {
      list.replaceChildren(...now.map((text, k) => paragraphOf(text, k, choose)));
      written = JSON.stringify(now);
    } else if (at !== shown) setText(told, now[at]);
    renderDots(now);
    for (const [k, paragraph] of [...list.children].entries())
      paragraph.setAttribute("aria-current", k === at ? "step" : "false");
    box.hidden = lesson.title === "" && now.every((text) => text === "");
    box.classList.toggle("scrolls", states.length > 1);
    head.hidden = lesson.title === "" && states.length < 2;
    list.hidden = states.length < 2 && now[0] === "";
    setText(title, lesson.title);
    setText(place, states.length > 1 && at >= 0 ? strings.stateOf(at + 1, states.length) : "");
    back.hidden = states.length < 2 || !isChanged(states[at], model.fields, model.looks);
    box.classList.toggle("left", !back.hidden);
    if (!box.hidden) scroller.show(Math.max(0, at), isNew);
    shown = at;
    const height = box.hidden ? 0 : box.offsetHeight + NOTE_GAP;
    document.documentElement.style.setProperty("--note", `${height}px`);
  };
}

/** A quotient in which no line may end. */
const QUOTIENT = /(\([RD]\/γ\)²)/;

/** Returns a paragraph; the first of several lines is its heading. No line ends within w = (1, 2). */
function paragraphOf(text, k, choose) {
  const joined = (text || strings.stateName(k + 1)).replace(/ = | ≤ 0|, (?=[−.\d]+[,)])/g, (gap) =>
    gap.replaceAll(" ", "\u00a0"),
  );
  const [first, ...rest] = joined.split("\n");
  const lines = rest.length > 0 ? rest : [first];
  const heading = rest.length > 0 ? el("h3", { textContent: first }) : null;
  const words = lines.map((line) => el("p", {}, ...line.split(QUOTIENT).map(wholeQuotient)));
  return el("div", { className: "paragraph", onclick: () => choose(k) }, heading, ...words);
}

function wholeQuotient(textContent) {
  return QUOTIENT.test(textContent) ? el("span", { className: "whole", textContent }) : textContent;
}

/** Connects a list of paragraphs that scrolls; `reach` is called with the one that a reader scrolls to its middle. */
function buildScroller(list, reach) {
  let aim = null; // the paragraph to which the page scrolled; null once the reader scrolls
  let last = 0; // the paragraph that was shown last
  let kept = "";
  const middleOf = ({ offsetTop, offsetHeight }) => offsetTop + offsetHeight / 2;
  const nearest = () => {
    const middle = list.scrollTop + list.clientHeight / 2;
    const far = [...list.children].map((paragraph) => Math.abs(middleOf(paragraph) - middle));
    return far.indexOf(Math.min(...far));
  };
  list.addEventListener("scroll", () => aim === null && reach(nearest()));
  for (const type of ["wheel", "touchstart", "pointerdown"])
    list.addEventListener(type, () => (aim = null), { passive: true });
  new ResizeObserver(() => (aim = last)).observe(list); // then the browser scrolls, not the reader
  return {
    /** Scrolls to a paragraph: at once, where the list is new or has another size. */
    show(k, isNew) {
      last = k;
      const tallest = Math.max(...[...list.children].map(({ offsetHeight }) => offsetHeight));
      const size = `${tallest} ${list.clientWidth} ${list.clientHeight}`;
      list.style.setProperty("--tallest", `${tallest}px`);
      const isSame = size === kept && !isNew;
      kept = `${tallest} ${list.clientWidth} ${list.clientHeight}`;
      if (isSame && (aim ?? nearest()) === k) return;
      aim = k;
      const top = middleOf(list.children[k]) - list.clientHeight / 2;
      list.scrollTo({ top, behavior: isSame && !wantsStill() ? "smooth" : "instant" });
    },
  };
}

/** Builds the dots of the bar, one for each state. */
function buildDots(model, open) {
  const dots = byId("dots");
  return (texts) => {
    const { states, at } = model.fields.lesson;
    if (dots.children.length !== states.length)
      dots.replaceChildren(
        ...states.map((_, k) => el("button", { className: "dot", onclick: () => open(k) })),
      );
    [...dots.children].forEach((dot, k) => {
      const [first] = texts[k].split("\n");
      const name = `${strings.stateName(k + 1)}${first ? `: ${first}` : ""}`;
      dot.setAttribute("aria-label", name);
      dot.title = name;
      dot.setAttribute("aria-current", k === at ? "step" : "false");
    });
  };
}
