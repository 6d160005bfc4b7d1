// --- rows of a table ----------------------------------------------------------------------------

const isBlankOfCell = letter => letter === " " || letter === "\t";

// The cell of a column: a number, a text, or null where it is missing.
function readCell(row, name, kind, column) {
  const value = Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null;
  if (isNothing(value)) return null;
  if (typeof value === "object" || typeof value === "function" || typeof value === "symbol")
    throw fault(name, Object.prototype.toString.call(value), "a number, a text or null");
  const word = typeof value === "string"
    ? strip(value, isBlankOfCell) : respell(spell(value), column);
  if (SPELLINGS.has(word)) return null;
  if (kind !== "number") return word;
  const number = numberOf(value, word);
  if (!Number.isFinite(number)) throw fault(name, value, "a finite number");
  return MISSING_NUMBERS.has(number) ? null : number;
}

function filledNumber(name, cell) {
  if (cell !== null) return cell;
  if (POLICY === null)
    throw fault(name, null, "a number: the model was trained without missing ones");
  return MEANS.get(name) ?? 0;
}

function readCells(row) {
  if (typeof row !== "object" || row === null || Array.isArray(row))
    throw new TypeError("A row is an object with a cell for each column.");
  return COLUMNS.map(([name, kind], column) => readCell(row, name, kind, column));
}
