// --- terms: products of cells -------------------------------------------------------------------

const IS_NUMBER = -3, IS_MISSING = -2;

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
    if (!isZero || !SPARSE) entries.push([index, product]);
  }
  return entries;
}
