// --- rows of numbers ----------------------------------------------------------------------------

function entriesOf(row) {
  const numbers = Array.from(row, Number);
  if (numbers.length !== WIDTH || !numbers.every(Number.isFinite))
    throw new TypeError(`A row has ${WIDTH} finite numbers; got ${numbers.length}.`);
  const entries = numbers.map((value, index) => [index, value]);
  return SPARSE ? entries.filter(([, value]) => value !== 0) : entries;
}
