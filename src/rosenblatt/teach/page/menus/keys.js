// The keys.

import { byId } from "../../../utils/drawing/dom.js";
import { removeSelected } from "../plane/editing.js";

/** Where Shift and an arrow move a point, in steps of the grid. */
const MOVES = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Connects the keys of the page; `act` and `editing` have the functions that they run. */
export function connectKeys(model, act, editing) {
  const plain = {
    ArrowRight: act.forward,
    ArrowLeft: act.back,
    ArrowDown: act.nextMistake,
    ArrowUp: act.previousMistake,
    " ": act.toggle,
    Home: act.first,
    End: act.last,
    PageDown: act.nextState,
    PageUp: act.previousState,
    Enter: () => editing.addInMiddle(),
    Delete: () => removeSelected(model),
    Backspace: () => removeSelected(model),
    Escape: act.close,
    "?": act.help,
    1: () => model.set({ tool: -1 }),
    2: () => model.set({ tool: 1 }),
    m: () => act.answer(true),
    r: () => act.answer(false),
    p: act.proof,
    w: () => act.tab("weights"),
    t: () => act.tab("table"),
    l: () => act.beyond("lift"),
    v: () => act.beyond("votes"),
    c: act.conventions,
    f: act.projector,
  };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.ctrlKey || event.metaKey) {
      if (key === "z") run(event, event.shiftKey ? () => model.redo() : () => model.undo());
      else if (key === "y") run(event, () => model.redo());
      return;
    }
    if (isControl(event.target) && (key === " " || key === "Enter")) return;
    if (event.target.getAttribute?.("role") === "tab" && key.startsWith("Arrow")) return;
    if (event.shiftKey && key in MOVES) run(event, () => editing.move(MOVES[key]));
    else if (key === "n") run(event, () => editing.select(event.shiftKey ? -1 : 1));
    else if (key in plain) run(event, plain[key]);
  });
}

/** Returns the keys to the page after a choice from a list with the mouse. */
export function connectChoices() {
  let pointed = null;
  document.addEventListener("pointerdown", (event) => (pointed = event.target.closest("select")));
  document.addEventListener("change", (event) => {
    if (event.target === pointed && !pointed.closest("form")) byId("plane").focus({ preventScroll: true });
  });
}

function run(event, action) {
  event.preventDefault();
  action();
}

/** Returns true in fields for text and numbers, whose keys are their own. */
function isTyping(target) {
  return (
    target.matches?.("input:not([type=range]):not([type=checkbox]), textarea, select") ?? false
  );
}

function isControl(target) {
  return target.matches?.("button, summary, a, input[type=checkbox]") ?? false;
}
