const respell = word => word; // hashed words are no list

function entriesOf(row) {
  const cells = readCells(row), names = [], indicators = [], texts = [];
  const all = COLUMNS.map(([name], j) => [name, cells[j]]);
  const ofKind = kind => all.filter((_, j) => COLUMNS[j][1] === kind);
  for (const [name, cell] of ofKind("number")) {
    const value = filledNumber(name, cell);
    if (value !== 0) names.push([name, value]);
    if (cell === null) indicators.push([`${name} is missing`, 1]);
  }
  for (const [name, cell] of ofKind("category"))
    if (cell !== null) names.push([`${name}=${cell}`, 1]);
    else if (POLICY === "indicator") names.push([`${name} is missing`, 1]);
  for (const [, cell] of ofKind("text")) texts.push(cell ?? "");
  return hashedEntries(POLICY === "indicator" ? [...names, ...indicators] : names, texts);
}
