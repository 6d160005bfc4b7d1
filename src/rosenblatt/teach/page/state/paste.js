// Points from text: "x y label" lines, or a CSV.

import { isWithin } from "../engine/limits.js";

/** An error about a line of the text, for the reader. */
export class TextError extends Error {}

/**
 * Reads points from lines "x y label"; a first line of names is skipped.
 * @returns {{points: number[][], labels: number[], names: string[]}} names of the classes −1 and +1
 */
export function readPoints(text, say) {
  const lines = text.split(/\r?\n/).map((line, i) => ({ cells: cellsOf(line), at: i + 1 }));
  const rows = lines.filter(({ cells }) => cells.length > 0);
  if (rows.length > 0 && rows[0].cells.slice(0, 2).some((cell) => !isNumber(cell))) rows.shift();
  if (rows.length === 0) throw new TextError(say.noPoints);
  for (const { cells, at } of rows) {
    if (cells.length !== 3) throw new TextError(say.threeCells(at, cells.length));
    const wrong = cells.slice(0, 2).find((cell) => !isNumber(cell));
    if (wrong !== undefined) throw new TextError(say.noNumber(at, wrong));
    const beyond = cells.slice(0, 2).find((cell) => !isWithin(Number(cell)));
    if (beyond !== undefined) throw new TextError(say.beyondLimits(at, beyond));
  }
  const classes = [...new Set(rows.map(({ cells }) => cells[2]))].sort(byNumber);
  if (classes.length > 2) throw new TextError(say.twoClasses(classes));
  const positive = classes.length === 2 ? classes[1] : Number(classes[0]) > 0 ? classes[0] : null;
  return {
    points: rows.map(({ cells }) => cells.slice(0, 2).map(Number)),
    labels: rows.map(({ cells }) => (cells[2] === positive ? 1 : -1)),
    names: classes,
  };
}

/** Returns points as lines that `readPoints` reads. */
export function writePoints(points, labels) {
  return points.map(([x, y], i) => `${x} ${y} ${labels[i] > 0 ? "+1" : "-1"}`).join("\n");
}

function cellsOf(line) {
  const text = line.replace(/−/g, "-").trim();
  if (text === "" || text.startsWith("#")) return [];
  const separator = [";", "\t", ","].find((mark) => text.includes(mark)) ?? /\s+/;
  return text.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

function isNumber(cell) {
  return cell !== "" && Number.isFinite(Number(cell));
}

function byNumber(a, b) {
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : a < b ? -1 : 1;
}
