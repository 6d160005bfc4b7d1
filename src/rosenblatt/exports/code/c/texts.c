/* --- texts: hashed n-grams of words and letters --------------------------------------------- */

#define MOST_LETTERS 524288 /* longer texts are cut, as in training */

/* Unicode @VERSION@, as in training. Ranges: where each begins, and ends. */
@TABLES@

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The number of entries, in increasing order, that are at most the code point. */
static size_t rank_of(const uint32_t *entries, size_t count, uint32_t letter) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (entries[middle] <= letter)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static int is_in(const uint32_t *ranges, size_t count, uint32_t letter) {
  return rank_of(ranges, count, letter) % 2 == 1;
}

static int is_word(uint32_t letter) { return is_in(WORD, LENGTH_OF(WORD), letter); }
static int is_blank(uint32_t letter) { return is_in(BLANK, LENGTH_OF(BLANK), letter); }

static int mark_of(uint32_t letter) {
  const size_t rank = letter < 0x300 ? 0 : rank_of(MARKS, LENGTH_OF(MARKS), letter);
  return rank == 0 ? 0 : MARK_CLASSES[rank - 1];
}

/* The index of a code point in a table, or −1. */
static long index_in(const uint32_t *codes, size_t count, uint32_t letter) {
  const size_t rank = rank_of(codes, count, letter);
  return rank > 0 && codes[rank - 1] == letter ? (long)rank - 1 : -1;
}

/* The next code point of UTF-8, and the bytes after it; 0 bytes for what is none. */
static size_t decode(const unsigned char *bytes, uint32_t *letter) {
  static const uint32_t LEAST[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char first = bytes[0];
  const size_t size = first < 0x80 ? 1 : first < 0xC0 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 0 || first > 0xF4) return 0;
  uint32_t code = size == 1 ? first : first & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((bytes[i] & 0xC0) != 0x80) return 0; /* also what follows the text: a blank, or NUL */
    code = code << 6 | (bytes[i] & 0x3Fu);
  }
  if (code < LEAST[size] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
  *letter = code;
  return size;
}

/* Append a letter; false if there is no room. */
static int append(uint32_t *letters, size_t *count, uint32_t letter) {
  if (*count == MODEL_MAX_LETTERS) return 0;
  letters[(*count)++] = letter;
  return 1;
}

/* Append the parts of a letter. */
static int decompose(uint32_t *letters, size_t *count, uint32_t letter) {
  if (letter >= 0xAC00 && letter < 0xD7A4) { /* Hangul */
    const uint32_t syllable = letter - 0xAC00, last = syllable % 28;
    return append(letters, count, 0x1100 + syllable / 588) &&
           append(letters, count, 0x1161 + syllable % 588 / 28) &&
           (last == 0 || append(letters, count, 0x11A7 + last));
  }
  const long index = letter < 0xA0 ? -1 : index_in(WHOLES, LENGTH_OF(WHOLES), letter);
  if (index < 0) return append(letters, count, letter);
  for (size_t i = PART_STARTS[index]; i < PART_STARTS[index + 1]; ++i)
    if (!append(letters, count, PARTS[i])) return 0;
  return 1;
}

/* Sort the marks after each letter by their class; equal ones stay in order. */
static void sort_marks(uint32_t *letters, size_t count, uint32_t *spare) {
  for (size_t begin = 0, stop; begin < count; begin = stop + 1) {
    for (stop = begin; stop < count && mark_of(letters[stop]) != 0;) ++stop;
    if (stop < begin + 2) continue;
    size_t places[256] = {0}, total = 0;
    for (size_t i = begin; i < stop; ++i) ++places[mark_of(letters[i])];
    for (int mark = 0; mark < 256; ++mark) {
      const size_t marks = places[mark];
      places[mark] = total;
      total += marks;
    }
    for (size_t i = begin; i < stop; ++i) spare[places[mark_of(letters[i])]++] = letters[i];
    memcpy(letters + begin, spare, total * sizeof *letters);
  }
}

/* The composition of two code points, or 0. */
static uint32_t composed(uint32_t first, uint32_t second) {
  if (first >= 0x1100 && first < 0x1113 && second >= 0x1161 && second < 0x1176)
    return 0xAC00 + ((first - 0x1100) * 21 + (second - 0x1161)) * 28;
  const int has_no_end = first >= 0xAC00 && first < 0xD7A4 && (first - 0xAC00) % 28 == 0;
  if (has_no_end && second > 0x11A7 && second < 0x11C3) return first + (second - 0x11A7);
  size_t low = 0, high = LENGTH_OF(PAIRS);
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const uint32_t *pair = PAIRS[middle];
    if (pair[0] == first && pair[1] == second) return pair[2];
    if (pair[0] < first || (pair[0] == first && pair[1] < second))
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

/* Compose letters with their marks, in place; return how many are left. */
static size_t compose(uint32_t *letters, size_t count) {
  size_t kept = 0, base = 0;
  int has_base = 0, last = 0;
  for (size_t i = 0; i < count; ++i) {
    const int mark = mark_of(letters[i]);
    if (has_base && (kept == base + 1 || last < mark)) {
      const uint32_t both = composed(letters[base], letters[i]);
      if (both != 0) {
        letters[base] = both;
        continue;
      }
    }
    if (mark == 0) base = kept, has_base = 1;
    last = mark;
    letters[kept++] = letters[i];
  }
  return kept;
}

/* Whether a letter has a cased one before it, and none after, but for those that case ignores. */
static int ends_word(const uint32_t *letters, size_t count, size_t index) {
  size_t i = index;
  while (i > 0 && is_in(CASE_IGNORED, LENGTH_OF(CASE_IGNORED), letters[i - 1])) --i;
  if (i == 0 || !is_in(CASED, LENGTH_OF(CASED), letters[i - 1])) return 0;
  for (i = index + 1; i < count && is_in(CASE_IGNORED, LENGTH_OF(CASE_IGNORED), letters[i]);) ++i;
  return i == count || !is_in(CASED, LENGTH_OF(CASED), letters[i]);
}

/* Write the letters of a text in the form NFKC and lower case into both arrays of the scratch. */
static int normalise(struct model_scratch *scratch, const char *text, size_t length) {
  const unsigned char *bytes = (const unsigned char *)text, *end = bytes + length;
  uint32_t *letters = scratch->letters, *lowered = scratch->lowered, letter;
  size_t count = 0, size;
  for (size_t read = 0; bytes < end && read < MOST_LETTERS; ++read, bytes += size) {
    if ((size = decode(bytes, &letter)) == 0) return MODEL_NOT_UTF8;
    if (!decompose(letters, &count, letter)) return MODEL_TEXT_TOO_LONG;
  }
  sort_marks(letters, count, lowered);
  count = compose(letters, count);
  scratch->count = 0;
  for (size_t i = 0; i < count; ++i) {
    const long index = index_in(UPPER, LENGTH_OF(UPPER), letters[i]);
    letter = index < 0 ? letters[i] : LOWER[index];
    if (letters[i] == 0x3A3 && ends_word(letters, count, i)) letter = 0x3C2;
    if (!append(lowered, &scratch->count, letter)) return MODEL_TEXT_TOO_LONG;
    if (letters[i] == 0x130 && !append(lowered, &scratch->count, 0x307)) return MODEL_TEXT_TOO_LONG;
  }
  if (scratch->count > MOST_LETTERS) scratch->count = MOST_LETTERS;
  return MODEL_OK;
}

static void absorb_letter(struct murmur *state, uint32_t letter) {
  if (letter < 0x80) {
    absorb_byte(state, (unsigned char)letter);
    return;
  }
  const int more = letter < 0x800 ? 1 : letter < 0x10000 ? 2 : 3;
  absorb_byte(state, (unsigned char)((0xFF00u >> (more + 1) & 0xFF) | letter >> 6 * more));
  for (int i = more - 1; i >= 0; --i)
    absorb_byte(state, (unsigned char)(0x80 | (letter >> 6 * i & 0x3F)));
}

static void add_ngram(struct model_scratch *scratch, struct murmur state) {
  struct model_entry *entry = &scratch->entries[scratch->used++];
  entry->key = (uint64_t)column_of(finished(state)) << 32;
  entry->value = 1.0;
}

/* The next run of at least two letters of words, from *stop on; false if there is none. */
static int next_word(const struct model_scratch *scratch, size_t *begin, size_t *stop) {
  const uint32_t *letters = scratch->lowered;
  size_t i = *stop;
  while (i < scratch->count) {
    while (i < scratch->count && !is_word(letters[i])) ++i;
    *begin = i;
    while (i < scratch->count && is_word(letters[i])) ++i;
    *stop = i;
    if (*stop > *begin + 1) return 1;
  }
  return 0;
}

static void add_words(struct model_scratch *scratch, int least, int largest) {
  size_t begin, stop = 0;
  while (next_word(scratch, &begin, &stop)) {
    struct murmur state = {0, 0, 0};
    const size_t first = stop;
    for (int n = 1;; ++n) {
      for (size_t i = begin; i < stop; ++i) absorb_letter(&state, scratch->lowered[i]);
      if (n >= least) add_ngram(scratch, state);
      if (n == largest || !next_word(scratch, &begin, &stop)) break;
      absorb_byte(&state, ' ');
    }
    stop = first;
  }
}

static void add_letters(struct model_scratch *scratch, const uint32_t *letters, size_t count,
                        size_t least, size_t largest) {
  for (size_t i = 0; i < count; ++i) {
    struct murmur state = {0, 0, 0};
    for (size_t n = 1; n <= largest && i + n <= count; ++n) {
      absorb_letter(&state, letters[i + n - 1]);
      if (n >= least) add_ngram(scratch, state);
    }
  }
}

/* Sequences of letters; several blanks count as one. */
static void add_chars(struct model_scratch *scratch, int least, int largest) {
  size_t count = 0;
  for (size_t i = 0, stop; i < scratch->count; i = stop > i ? stop : i + 1) {
    for (stop = i; stop < scratch->count && is_blank(scratch->lowered[stop]);) ++stop;
    scratch->letters[count++] = stop > i + 1 ? ' ' : scratch->lowered[i];
  }
  add_letters(scratch, scratch->letters, count, (size_t)least, (size_t)largest);
}

/* Sequences of letters within words, each word with a blank at both ends. */
static void add_chars_of_words(struct model_scratch *scratch, int least, int largest) {
  for (size_t i = 0; i < scratch->count;) {
    size_t count = 0;
    uint32_t *padded = scratch->letters; /* it has room for two blanks */
    while (i < scratch->count && is_blank(scratch->lowered[i])) ++i;
    while (i < scratch->count && !is_blank(scratch->lowered[i]))
      padded[1 + count++] = scratch->lowered[i++];
    if (count == 0) break;
    padded[0] = padded[count + 1] = ' ';
    count += 2;
    const size_t shortest = (size_t)least < count ? (size_t)least : count; /* or the word, whole */
    add_letters(scratch, padded, count, shortest, (size_t)largest);
  }
}

static const struct {
  char kind; /* of words, of letters, or of letters within words */
  int least, largest;
} SPECS[] = {@SPECS@};

/* Append the columns of a text's n-grams, and the number of specs that have each. */
static int add_text(struct model_scratch *scratch, const char *text, size_t length) {
  const size_t start = scratch->used;
  const int fault = normalise(scratch, text, length);
  if (fault != MODEL_OK) return fault;
  for (size_t s = 0; s < LENGTH_OF(SPECS); ++s) {
    const size_t begin = scratch->used;
    if (SPECS[s].kind == 'w') add_words(scratch, SPECS[s].least, SPECS[s].largest);
    if (SPECS[s].kind == 'c') add_chars(scratch, SPECS[s].least, SPECS[s].largest);
    if (SPECS[s].kind == 'b') add_chars_of_words(scratch, SPECS[s].least, SPECS[s].largest);
    scratch->used = begin + summed(scratch->entries + begin, scratch->used - begin);
    for (size_t i = begin; i < scratch->used; ++i) scratch->entries[i].value = 1.0;
  }
  scratch->used = start + summed(scratch->entries + start, scratch->used - start);
  return MODEL_OK;
}
