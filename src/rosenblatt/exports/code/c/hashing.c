/* --- hashed names: MurmurHash3_x86_32 with seed 0 ------------------------------------------- */

struct murmur {
  uint32_t hash, rest, size;
};

static uint32_t scrambled(uint32_t quad) {
  quad *= 0xCC9E2D51u;
  return (quad << 15 | quad >> 17) * 0x1B873593u;
}

static void absorb_byte(struct murmur *state, unsigned char byte) {
  state->rest |= (uint32_t)byte << 8 * (state->size & 3);
  if ((++state->size & 3) != 0) return;
  state->hash ^= scrambled(state->rest);
  state->hash = 5 * (state->hash << 13 | state->hash >> 19) + 0xE6546B64u;
  state->rest = 0;
}

static uint32_t finished(struct murmur state) {
  uint32_t hash = state.hash ^ scrambled(state.rest) ^ state.size;
  hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
  hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
  return hash ^ hash >> 16;
}

/* The column of a hash, whose highest bit is its sign. */
static uint32_t column_of(uint32_t hash) {
  return (hash >> 31 ? 0u - hash : hash) & ((UINT32_C(1) << BITS) - 1);
}

/* --- entries of a row: a column and a value, in the order of columns ------------------------ */

static void sift(struct model_entry *entries, size_t parent, size_t count) {
  const struct model_entry moved = entries[parent];
  size_t child;
  while ((child = 2 * parent + 1) < count) {
    if (child + 1 < count && entries[child].key < entries[child + 1].key) ++child;
    if (entries[child].key <= moved.key) break;
    entries[parent] = entries[child];
    parent = child;
  }
  entries[parent] = moved;
}

static void sort_entries(struct model_entry *entries, size_t count) {
  for (size_t parent = count / 2; parent > 0; --parent) sift(entries, parent - 1, count);
  for (; count > 1; --count) {
    const struct model_entry largest = entries[0];
    entries[0] = entries[count - 1];
    entries[count - 1] = largest;
    sift(entries, 0, count - 1);
  }
}

/* Sum the values of equal columns in their order; return the number of entries that are left. */
static size_t summed(struct model_entry *entries, size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    entries[i].key = (entries[i].key >> 32 << 32) | (i & UINT32_MAX);
  sort_entries(entries, count);
  for (size_t i = 0; i < count; ++i) {
    if (kept > 0 && entries[kept - 1].key >> 32 == entries[i].key >> 32)
      entries[kept - 1].value += entries[i].value;
    else
      entries[kept++] = entries[i];
  }
  return kept;
}
