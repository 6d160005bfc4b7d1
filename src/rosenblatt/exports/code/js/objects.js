// --- rows of objects, flattened as JSON lines are -----------------------------------------------

const kindOf = path => KINDS.get(path) ?? KINDS.get("*");
const BLANK_LETTER =
  /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
const isMissingWord = word =>
  POLICY !== null && SPELLINGS.has(strip(word, letter => BLANK_LETTER.test(letter)));

// The features of a value by name, and the texts of the keys of texts.
function flatten(found, path, value) {
  const kind = kindOf(path);
  const isText = typeof value === "string", isList = Array.isArray(value);
  if (typeof value === "object" && value !== null && !isList && KINDS.get(path) !== "skip") {
    for (const [key, inner] of Object.entries(value))
      flatten(found, path ? `${path}.${key}` : key, inner);
    return;
  }
  if (kind === "skip") return;
  const isWord = isText || (kind === "category" && !isList);
  if (isNothing(value) || (isWord && isMissingWord(spell(value)))) {
    if (kind !== "text" && POLICY !== null) addFeature(found, path, null);
  } else if (isList) {
    flattenList(found, path, value, kind);
  } else if (isText && kind === "text") {
    textsOf(found, path).push(value);
  } else if (kind === "category" || (isText && kind !== "number")) {
    addFeature(found, `${path}=${spell(value)}`, 1);
  } else {
    const number = isText ? NaN : Number(value);
    if (!Number.isFinite(number)) throw fault(path, value, "a finite number");
    addFeature(found, path, MISSING_NUMBERS.has(number) ? null : number);
  }
}

function flattenList(found, path, values, kind) {
  const words = values.filter(inner => typeof inner === "string"), counts = new Map();
  if (kind === "text") textsOf(found, path).push(...words);
  else for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const [word, count] of counts) addFeature(found, `${path}=${word}`, count);
  values.forEach((inner, k) => {
    if (typeof inner !== "string") flatten(found, `${path}.${k}`, inner);
  });
}

const textsOf = (found, path) => found.texts.get(found.texts.has(path) ? path : "*");

function addFeature(found, name, value) {
  if (found.names.has(name)) throw fault(name, "it twice", "each name once");
  found.names.add(name);
  if (value !== null) found.features.push([name, value]);
  else if (POLICY === "indicator") found.features.push([`${name} is missing`, 1]);
  else if (MEANS.has(name)) found.features.push([name, MEANS.get(name)]);
}

function read(row) {
  if (typeof row !== "object" || row === null || Array.isArray(row))
    throw new TypeError("A row is an object of names and values.");
  const texts = [...KINDS].filter(([, kind]) => kind === "text").map(([key]) => [key, []]);
  const found = { features: [], names: new Set(), texts: new Map(texts) };
  flatten(found, "", row);
  const joined = [...found.texts.values()].map(parts => parts.join("\n"));
  return { features: found.features, texts: joined };
}
