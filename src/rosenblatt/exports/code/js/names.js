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

// The products of features of groups, equal ones of which stand side by side: each product once.
function products(hashed, ...groups) {
  const isRun = k => k > 0 && groups[k] === groups[k - 1];
  let chosen = [[]]; // indices of features
  groups.forEach((group, k) => {
    const members = hashed.flatMap(([name], i) => (inGroup(name, group) ? [i] : []));
    chosen = chosen.flatMap(before =>
      members.filter(i => !isRun(k) || before[k - 1] <= i).map(i => [...before, i]));
  });
  const found = chosen.map(indices => {
    const value = indices.reduce((product, i) => product * hashed[i][2], 1);
    if (!Number.isFinite(value)) throw new RangeError("A product of features overflows.");
    return ["", crossed(indices.map(i => hashed[i][1]), isRun), value];
  });
  return found.filter(([, , value]) => value !== 0);
}

// The hash of a product; within a group the lower hash is first.
function crossed(hashes, isRun) {
  for (let k = 1; k < hashes.length; ++k)
    for (let j = k; isRun(j) && hashes[j - 1] > hashes[j]; --j)
      [hashes[j - 1], hashes[j]] = [hashes[j], hashes[j - 1]];
  return hashes.reduce((hash, next) => Math.imul(hash, 16777619) ^ next);
}
