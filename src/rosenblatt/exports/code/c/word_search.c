
/* A cell without the blanks around it. */
static struct word word_of(const char *cell) {
  while (*cell == ' ' || *cell == '\t') ++cell;
  struct word word = {cell, strlen(cell)};
  for (; word.length > 0; --word.length)
    if (cell[word.length - 1] != ' ' && cell[word.length - 1] != '\t') break;
  return word;
}

static int compared(struct word one, struct word other) {
  const size_t length = one.length < other.length ? one.length : other.length;
  const int order = memcmp(one.bytes, other.bytes, length);
  return order != 0 ? order : (one.length > other.length) - (one.length < other.length);
}

/* The index of a word among words in the order of their bytes, or −1. */
static long index_of(const struct word *words, size_t count, struct word word) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const int order = compared(words[middle], word);
    if (order == 0) return (long)middle;
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

static int is_missing_word(const char *cell) {
  const size_t count = sizeof SPELLINGS / sizeof *SPELLINGS;
  return cell == NULL || index_of(SPELLINGS, count, word_of(cell)) >= 0;
}
