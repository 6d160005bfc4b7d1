// A lesson as text in the address of the page: after #, so that it never leaves the browser.

import { completeConventions, DEFAULTS } from "../engine/conventions.js";
import { isLesson, isState, withoutUnknown } from "./checks.js";
import { splitRows } from "./examples.js";
import { firstState } from "./model.js";

/** The fields of a state that a lesson keeps beside its points and conventions; the rest is of the moment. */
const KEPT = Object.keys(firstState()).filter((key) => !["points", "labels", "conventions"].includes(key));

/** Returns what a lesson keeps of a state, without what is as always; never the tab of its builder. */
export function packState(shown) {
  const usual = firstState();
  const fields = { ...shown, tab: tabOf(shown), asking: shown.asking && shown.t > 0 };
  const packed = { points: fields.points.map(([x, y], i) => [x, y, fields.labels[i]]) };
  for (const key of KEPT) {
    if (JSON.stringify(fields[key]) !== JSON.stringify(usual[key])) packed[key] = fields[key];
  }
  const changed = Object.entries(fields.conventions).filter(
    ([key, value]) => value !== DEFAULTS[key],
  );
  if (changed.length > 0) packed.conventions = Object.fromEntries(changed);
  return packed;
}

/** Returns the tab that a state keeps: never that of its builder. */
function tabOf({ tab, behind }) {
  return tab === "lesson" ? behind : tab;
}

/** Returns whether what is shown differs from a packed state in more than its note, hides and locks. */
export function isChanged(packed, fields, looks) {
  const kept = unpackState(withoutUnknown(packed).known);
  return exampleText(kept, looks) !== exampleText(fields, looks);
}

/** Returns as text what the plane and the panels show of a state with so many looks. */
function exampleText(fields, looks) {
  const { points, labels, conventions, order, t, idea, broken, beyond } = fields;
  const { degree, recorded, quiz, axes, classes } = fields;
  const signs = labels.map((label) => label > 0);
  const rest = [tabOf(fields), idea, broken, beyond, degree, recorded, quiz, axes, classes];
  const chosen = completeConventions(conventions);
  return JSON.stringify([points, signs, chosen, order, Math.min(t, looks), ...rest]);
}

/** Returns the fields of a packed state. */
export function unpackState(packed) {
  const usual = firstState();
  const { points = usual.points.map(([x, y], i) => [x, y, usual.labels[i]]), ...rest } = packed;
  const fields = { ...usual, ...splitRows(points) };
  for (const key of KEPT) if (key in rest) fields[key] = rest[key];
  fields.conventions = rest.conventions ?? {};
  return fields;
}

/**
 * Returns the text after # for a state, and for a lesson that stands at one of its states: a ready
 * one has its name. A shared lesson is alone: it opens at its first state.
 */
export function writeAddress(fields, { embedded, lesson, ready = null, shared = false }) {
  const parts = new URLSearchParams();
  const { title, states, at } = lesson;
  const isLesson = states.length > 0;
  if (ready !== null) {
    parts.set("ready", ready);
    if (!shared) parts.set("at", at);
  } else if (isLesson) {
    const kept = shared ? { title, states } : { title, states, at };
    parts.set("lesson", toBase64(JSON.stringify(kept)));
  }
  if (!isLesson || !shared) parts.set("state", toBase64(JSON.stringify(packState(fields))));
  if (embedded) parts.set("embed", "1");
  return `#${parts}`;
}

/**
 * Returns the state, the lesson and the mode that an address names, and the fault of a damaged one.
 * Its parts stand behind # or &: "#edit" may be written behind the link of a lesson.
 */
export function readAddress(hash) {
  const parts = new URLSearchParams(hash.replaceAll("#", "&"));
  const read = (name, isValid) =>
    parts.has(name) ? readJson(fromBase64, parts.get(name), isValid) : {};
  const [state, lesson] = [read("state", isState), read("lesson", isLesson)];
  return {
    state: state.value,
    lesson: lesson.value,
    fault: state.fault ?? lesson.fault,
    embedded: parts.get("embed") === "1",
    edits: parts.has("edit"),
    still: parts.get("still") === "1",
    ready: parts.get("ready"),
    at: Number(parts.get("at")),
  };
}

/** Returns the lesson of a file, or its fault. */
export function readLesson(text) {
  return readJson((whole) => whole, text, isLesson);
}

/** Returns the value that a text holds, or the error that keeps it from being shown. */
function readJson(decode, text, isValid) {
  try {
    const value = JSON.parse(decode(text));
    return isValid(value) ? { value } : { fault: new Error("cannot be shown") };
  } catch (fault) {
    return { fault };
  }
}

/** Returns whether an address opens on this computer only. */
export function isLocal({ protocol, hostname }) {
  const isOnline = protocol === "https:" || protocol === "http:";
  return !isOnline || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}

function toBase64(text) {
  const bytes = new TextEncoder().encode(text);
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64(text) {
  const letters = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return new TextDecoder().decode(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
}
