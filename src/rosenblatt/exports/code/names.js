// --- hashed names, and their products --------------------------------------------------------------

const inGroup = (name, group) =>
  name === group || name.startsWith(`${group}=`) || name.startsWith(`${group}.`);

// The entries of names with their values, and of the n-grams of texts.
function hashedEntries(names, texts) {
  const encoder = new TextEncoder(), totals = new Map();
  const add = (column, value) => totals.set(column, totals.has(column) ? totals.get(column) + value : value);
  const hashed = names.map(([name, value]) => [name, murmur3(encoder.encode(name)), value]);
  for (const [, hash, value] of [...hashed, ...INTERACTIONS.flatMap(pair => products(hashed, ...pair))])
    add(columnOf(hash, BITS), hash < 0 ? -value : value);
  for (const text of texts) for (const [column, count] of ngramColumns(text, NGRAMS, BITS)) add(column, count);
  const columns = [...totals.keys()].filter(column => texts.length === 0 || totals.get(column) !== 0);
  return columns.sort((a, b) => a - b).map(column => [INDEX_OF.get(column) ?? -1, totals.get(column)]);
}

function products(hashed, one, other) {
  const members = group => hashed.filter(([name]) => inGroup(name, group));
  const second = members(other);
  return members(one).flatMap(([, h, x], i) =>
    (one === other ? second.slice(i) : second)
      .filter(([, , y]) => x * y !== 0)
      .map(([, k, y]) => {
        if (!Number.isFinite(x * y)) throw new RangeError("The product of two crossed features overflows.");
        const [first, last] = one === other && k < h ? [k, h] : [h, k];
        return ["", Math.imul(first, 16777619) ^ last, x * y];
      }));
}
