// The answers of exercises: kept while the page is open, and written as JSON or CSV for a teacher.

import { isLocal, writeAddress } from "../state/address.js";

const KEPT_AS = "rosenblatt-answers";

/** The columns of the CSV. */
const CSV_COLUMNS = [
  "name",
  "round",
  "look",
  "question",
  "answer",
  "right_answer",
  "right",
  "attempts",
  "time",
  "set",
  "conventions",
];

/** What a table reads as a formula, at the beginning of a name. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Returns the record of an answer that was given now: with the address of its points, conventions
 * and questions, which begins at # where the page is on this computer only.
 */
export function recordOf({ fields }, round, given) {
  const { order } = fields;
  const hash = writeAddress({ ...fields, t: 0 }, { lesson: { title: "", states: [], at: -1 } });
  const set = isLocal(location) ? hash : location.href.split("#")[0] + hash;
  const conventions = { ...fields.conventions, order };
  return { round, ...given, time: new Date().toISOString(), set, conventions };
}

/** Returns the answers that this window kept. */
export function readAnswers() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_AS) ?? "[]");
  } catch {
    return [];
  }
}

/** Keeps the answers where the browser allows that: a page that is loaded again still has them. */
export function keepAnswers(answers) {
  try {
    sessionStorage.setItem(KEPT_AS, JSON.stringify(answers));
  } catch {
    // A page in a frame may not keep anything: the answers last until it is closed.
  }
}

/** Returns answers as JSON. */
export function answersAsJson(name, answers) {
  return `${JSON.stringify({ name, answers }, null, 2)}\n`;
}

/** Returns answers as CSV, a line for each. */
export function answersAsCsv(name, answers) {
  const safe = FORMULA.test(name) ? `'${name}` : name;
  const rows = answers.map((answer) => {
    const cells = { ...answer, name: safe, conventions: JSON.stringify(answer.conventions) };
    return CSV_COLUMNS.map((column) => cellText(cells[column]));
  });
  return [CSV_COLUMNS, ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

function cellText(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
