/* --- the score of hashed entries ------------------------------------------------------------ */

static long index_of_column(uint32_t column) {
  size_t low = 0, high = sizeof USED / sizeof *USED;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (USED[middle] == column) return (long)middle;
    if (USED[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

static int scored(struct model_scratch *scratch, double scores[MODEL_SCORES]) {
  struct sums sums = {0};
  const size_t count = summed(scratch->entries, scratch->used);
  for (size_t i = 0; i < count; ++i) {
    const struct model_entry entry = scratch->entries[i];
    if (HAS_TEXTS && entry.value == 0.0) continue; /* values that cancel are terms, but for texts */
    add_term(&sums, index_of_column((uint32_t)(entry.key >> 32)), entry.value);
  }
  finish(&sums, scores);
  return label_of(scores);
}
