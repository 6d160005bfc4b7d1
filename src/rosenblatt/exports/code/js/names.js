// --- hashed names, and their products -----------------------------------------------------------

const inGroup = (name, group) =>
  name === group || name.startsWith(`${group}=`) || name.startsWith(`${group}.`);

// The entries of names with their values, and of the n-grams of texts.
function hashedEntries(names, texts) {
  const encoder = new TextEncoder(), totals = new Map();
  const add = (column, value) =>
    totals.set(column, totals.has(column) ? totals.get(column) + value : value);
  const hashed = names.map(([name, value]) => [name, murmur3(encoder.encode(name)), value]);
  const pairs = INTERACTIONS.flatMap(groups => products(hashed, ...groups));
  for (const [, hash, value] of [...hashed, ...pairs])
    add(columnOf(hash, BITS), hash < 0 ? -value : value);
  for (const text of texts)
    for (const [column, count] of ngramColumns(text, NGRAMS, BITS)) add(column, count);
  const isTerm = ([, value]) => texts.length === 0 || value !== 0; // values may cancel
  const sorted = [...totals].filter(isTerm).sort(([a], [b]) => a - b);
  return sorted.map(([column, value]) => [INDEX_OF.get(column) ?? -1, value]);
}

function products(hashed, one, other) {
  const members = group => hashed.filter(([name]) => inGroup(name, group));
  const second = members(other);
  return members(one).flatMap(([, h, x], i) =>
    (one === other ? second.slice(i) : second)
      .filter(([, , y]) => x * y !== 0)
      .map(([, k, y]) => {
        if (!Number.isFinite(x * y)) throw new RangeError("A product of two features overflows.");
        const [first, last] = one === other && k < h ? [k, h] : [h, k];
        return ["", Math.imul(first, 16777619) ^ last, x * y];
      }));
}
