// --- texts: hashed n-grams of words and letters -------------------------------------------------

const MAX_LETTERS = 524288; // longer texts are cut, as in training

// Ranges of code points: gaps in base 36, of outside and inside in turn.
function readRanges(text) {
  let end = 0;
  return text === "" ? [] : text.split(" ").map(gap => (end += parseInt(gap, 36)));
}

function isIn(ranges, code) {
  let low = 0, high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle] <= code) low = middle + 1;
    else high = middle;
  }
  return low % 2 === 1;
}

const UNASSIGNED = readRanges("@UNASSIGNED@"); // in Unicode @VERSION@, as in training
const WORD = readRanges("@WORD@");
const BLANK = readRanges("@BLANK@");
const CASED = readRanges("@CASED@");
const CASE_IGNORED = readRanges("@CASE_IGNORED@");

const codeOf = letter => letter.codePointAt(0);
const isUnassigned = letter => isIn(UNASSIGNED, codeOf(letter));
const isWord = letter => isIn(WORD, codeOf(letter));
const isBlank = letter => isIn(BLANK, codeOf(letter));

// The letters of a text in the form NFKC and lower case.
function normalise(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return Array.from(text.slice(0, MAX_LETTERS).toLowerCase());
  const letters = Array.from(text.length > MAX_LETTERS ? text.slice(0, 2 * MAX_LETTERS) : text);
  const parts = [""]; // between letters that no version of then had, which stay as they are
  for (const letter of letters.slice(0, MAX_LETTERS)) {
    if (/\p{Cs}/u.test(letter)) parts[parts.length - 1] += "?";
    else if (isUnassigned(letter)) parts.push(letter, "");
    else if (/\p{Cn}/u.test(letter))
      throw new RangeError(`This engine has a Unicode before @VERSION@, which lacks ${letter}.`);
    else parts[parts.length - 1] += letter;
  }
  const composed = parts.map((part, i) => (i % 2 ? part : part.normalize("NFKC")));
  return Array.from(lower(composed)).slice(0, MAX_LETTERS);
}

function lower(parts) {
  if (parts.length === 1 && !parts[0].includes("Σ")) return parts[0].toLowerCase();
  const letters = Array.from(parts.join(""));
  const lowered = (letter, i) => {
    if (letter === "Σ") return endsWord(letters, i) ? "ς" : "σ";
    return isUnassigned(letter) ? letter : letter.toLowerCase();
  };
  return letters.map(lowered).join("");
}

// Whether a letter has a cased letter before it, and none after, but for those that case ignores.
function endsWord(letters, i) {
  const isCased = step => {
    let j = i + step;
    while (j >= 0 && j < letters.length && isIn(CASE_IGNORED, codeOf(letters[j]))) j += step;
    return j >= 0 && j < letters.length && isIn(CASED, codeOf(letters[j]));
  };
  return isCased(-1) && !isCased(1);
}

// The columns of the n-grams of units, each of `least` to `largest` of them.
function addNgrams(columns, units, glue, least, largest, bits) {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(units.join(glue));
  const starts = [], ends = [];
  let end = -glue.length;
  for (const unit of units) {
    starts.push(end + glue.length);
    ends.push((end += glue.length + utf8Length(unit)));
  }
  for (let n = least; n <= Math.min(largest, units.length); ++n)
    for (let i = 0; i + n <= units.length; ++i)
      columns.add(columnOf(murmur3(bytes, starts[i], ends[i + n - 1]), bits));
}

function utf8Length(text) {
  let length = 0;
  for (const letter of text) {
    const code = codeOf(letter);
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}

// Runs of letters of one kind.
function runs(letters, isInside) {
  const found = [];
  let begin = -1;
  letters.forEach((letter, i) => {
    if (!isInside(letter)) begin = -1;
    else if (begin < 0) found.push(letters.slice((begin = i), i + 1));
    else found[found.length - 1].push(letter);
  });
  return found;
}

const ANALYSERS = {
  word: (columns, letters, ...sizes) => {
    const words = runs(letters, isWord).filter(word => word.length > 1);
    addNgrams(columns, words.map(word => word.join("")), " ", ...sizes);
  },
  char: (columns, letters, ...sizes) => {
    const kept = [];
    for (let i = 0; i < letters.length;) {
      let stop = i;
      while (stop < letters.length && isBlank(letters[stop])) ++stop;
      kept.push(stop > i + 1 ? " " : letters[i]);
      i = Math.max(stop, i + 1);
    }
    addNgrams(columns, kept, "", ...sizes);
  },
  char_wb: (columns, letters, least, ...sizes) => {
    for (const word of runs(letters, letter => !isBlank(letter))) {
      const padded = [" ", ...word, " "];
      addNgrams(columns, padded, "", Math.min(least, padded.length), ...sizes);
    }
  },
};

// The columns of a text's n-grams, and the number of specs that have each.
function ngramColumns(text, specs, bits) {
  const letters = normalise(text), counts = new Map();
  for (const [kind, least, largest] of specs) {
    const columns = new Set();
    ANALYSERS[kind](columns, letters, least, largest, bits);
    for (const column of columns) counts.set(column, (counts.get(column) ?? 0) + 1);
  }
  return counts;
}
