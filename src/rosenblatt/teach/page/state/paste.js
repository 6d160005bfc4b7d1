// Points from text: "x y label" lines, or a CSV.

import { isWithin, POINT_LIMIT } from "../engine/limits.js";
import { cellsOf } from "./numbers.js";

/** An error about a line of the text, for the reader. */
export class TextError extends Error {}

/** The labels that need no names. */
const SIGNS = ["-1", "1"];

/** The name of the third column. */
const LABEL_NAME = "label";

/**
 * Reads points from lines "x y label". A first line whose coordinates are no numbers names the axes.
 * @returns {{points: number[][], labels: number[], axes: string[], classes: string[], hasNames: boolean}}
 *   axes, classes: names of the two axes, and of the classes −1 and +1, "" where there are none;
 *   hasNames: true if the first line was read as names
 */
export function readPoints(text, say) {
  const lines = text.split(/\r?\n/).map((line, i) => ({ cells: partsOf(line), at: i + 1 }));
  const rows = lines.filter(({ cells }) => cells.length > 0);
  const hasNames = rows.length > 0 && !rows[0].cells.slice(0, 2).some(isNumber);
  const first = hasNames ? rows.shift() : null;
  if (first) checkCount(first, say);
  if (rows.length === 0) throw new TextError(say.noPoints);
  if (rows.length > POINT_LIMIT) throw new TextError(say.manyPoints(rows.length));
  for (const { cells, at } of rows) {
    checkCount({ cells, at }, say);
    const wrong = cells.slice(0, 2).find((cell) => !isNumber(cell));
    if (wrong !== undefined) {
      const leads = wrong === cells[0] && !/\d/.test(wrong) && cells.slice(1).every(isNumber);
      throw new TextError((leads ? say.labelLast : say.noNumber)(at, wrong));
    }
    const beyond = cells.slice(0, 2).find((cell) => !isWithin(Number(cell)));
    if (beyond !== undefined) throw new TextError(say.beyondLimits(at, beyond));
  }
  const named = rows.map(({ cells }) => labelOf(cells[2]));
  const classes = [...new Set(named)].sort(byNumber);
  if (classes.length > 2) throw new TextError(say.twoClasses(classes));
  const positive = classes.length === 2 ? classes[1] : Number(classes[0]) > 0 ? classes[0] : null;
  return {
    points: rows.map(({ cells }) => cells.slice(0, 2).map(Number)),
    labels: named.map((name) => (name === positive ? 1 : -1)),
    axes: first ? first.cells.slice(0, 2) : ["", ""],
    classes: namesOf(classes, positive),
    hasNames,
  };
}

/** Returns points as lines that `readPoints` reads, with their names where they would be read again. */
export function writePoints({ points, labels, axes, classes }, say) {
  const signs = labels.map((label) => (label > 0 ? "+1" : "-1"));
  const names = labels.map((label, row) => classes[label > 0 ? 1 : 0] || signs[row]);
  const plain = linesOf(points, signs);
  const texts = [
    linesOf([axes, ...points], [LABEL_NAME, ...names]),
    linesOf(points, names),
    linesOf([axes, ...points], [LABEL_NAME, ...signs]),
  ];
  const right = JSON.stringify([points, labels]);
  const isRead = (text) => {
    try {
      const read = readPoints(text, say);
      return JSON.stringify([read.points, read.labels]) === right;
    } catch {
      return false;
    }
  };
  return texts.find(isRead) ?? plain;
}

/** Returns points with their labels as lines; tabs stand between words of several parts. */
function linesOf(points, labels) {
  const cells = points.map((x, row) => [...x, labels[row]]);
  const mark = cells.flat().some((cell) => /[\s,]/.test(cell)) ? "\t" : " ";
  return cells.map((line) => line.join(mark)).join("\n");
}

/** Returns the names of the classes −1 and +1; signs are no names. */
function namesOf(classes, positive) {
  const names = [classes.find((name) => name !== positive) ?? "", positive ?? ""];
  return names.every((name) => name === "" || SIGNS.includes(name)) ? ["", ""] : names;
}

function checkCount({ cells, at }, say) {
  if (cells.length === 3) return;
  const fault = cells.length > 3 ? say.manyCells : say.threeCells;
  throw new TextError(fault(at, cells.length));
}

/** Returns a label in one form: +1, 1 and 1.0 are 1. */
function labelOf(cell) {
  return isNumber(cell) ? String(Number(cell)) : cell;
}

/** Returns the cells of a line; none of an empty line or a remark. */
function partsOf(line) {
  const isEmpty = line.trim() === "" || line.trim().startsWith("#");
  return isEmpty ? [] : cellsOf(line, [3]);
}

function isNumber(cell) {
  return cell !== "" && Number.isFinite(Number(cell));
}

function byNumber(a, b) {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a < b ? -1 : 1;
}
