// --- terms: products of cells -------------------------------------------------------------------

const IS_NUMBER = -3, IS_MISSING = -2;

// The value that a word spells: a number, exactly if whole, true or false; or the word itself.
function valueOf(word) {
  if (/^(true|false)$/i.test(word)) return word.toLowerCase();
  if (!NUMBER.test(word)) return word;
  const number = Number(word);
  if (/^[+-]?[0-9]+$/.test(word)) return BigInt(word);
  return Number.isInteger(number) ? BigInt(number) : number;
}

// The first word of each column that spells a value.
const WORDS = VALUES.map(values => {
  const words = [...values.keys()].reverse();
  return new Map(words.map(word => [valueOf(word), word]));
});

// The word of a column for a number or a boolean: its spelling, or another one of its value.
function respell(word, column) {
  return VALUES[column].has(word) ? word : WORDS[column].get(valueOf(word)) ?? word;
}

// A term has two numbers for each factor: the index of a column, and its code. That is the index
// of a text among those of the column, or says that it is the number, or 1 where it is missing.
function entriesOf(row) {
  const cells = readCells(row);
  const numbers = cells.map((cell, j) =>
    COLUMNS[j][1] === "number" ? filledNumber(COLUMNS[j][0], cell) : 0);
  const codes = cells.map((cell, j) => {
    if (cell === null) return IS_MISSING;
    return COLUMNS[j][1] === "number" ? IS_NUMBER : (VALUES[j].get(cell) ?? -1);
  });
  const entries = [];
  for (let index = 0; index < TERMS.length; ++index) {
    const factors = TERMS[index];
    let product = 1, isZero = false;
    for (let f = 0; f < factors.length; f += 2) {
      const column = factors[f], code = factors[f + 1];
      const value = code === IS_NUMBER ? numbers[column] : Number(codes[column] === code);
      isZero = isZero || value === 0;
      product *= value;
    }
    if (isZero && SPARSE) continue;
    if (!Number.isFinite(product)) throw new RangeError("A product of features overflows.");
    entries.push([index, product]);
  }
  return entries;
}
