/* --- features with hashed names ------------------------------------------------------------- */

@GROUPS@

/* Whether a name, in two pieces, is that of a group, or continues it with = or a point. */
static int is_in_group(struct word first, struct word second, struct word group) {
  const size_t length = first.length + second.length;
  if (length < group.length) return 0;
  const size_t shared = first.length < group.length ? first.length : group.length;
  if (memcmp(first.bytes, group.bytes, shared) != 0) return 0;
  const size_t rest = group.length - shared;
  if (rest > 0 && memcmp(second.bytes, group.bytes + shared, rest) != 0) return 0;
  if (length == group.length) return 1;
  const char next = group.length < first.length ? first.bytes[group.length] : second.bytes[rest];
  return next == '=' || next == '.';
}

/* Add the feature of a name in two pieces. */
static void add_feature(struct model_scratch *scratch, struct word first, struct word second,
                        double value) {
  struct murmur state = {0, 0, 0};
  for (size_t i = 0; i < first.length; ++i) absorb_byte(&state, (unsigned char)first.bytes[i]);
  for (size_t i = 0; i < second.length; ++i) absorb_byte(&state, (unsigned char)second.bytes[i]);
  struct model_feature *feature = &scratch->features[scratch->feature_count++];
  feature->hash = finished(state);
  feature->value = value;
  feature->group = -1;
  for (int g = 0; g < GROUP_COUNT; ++g)
    if (is_in_group(first, second, GROUPS[g])) feature->group = g;
}

static void add_entry(struct model_scratch *scratch, uint32_t hash, double value) {
  struct model_entry *entry = &scratch->entries[scratch->used++];
  entry->key = (uint64_t)column_of(hash) << 32;
  entry->value = hash >> 31 ? -value : value;
}

/* Add the products of two groups; within one group each pair once, the lower hash first. */
static int add_products(struct model_scratch *scratch, int one, int other) {
  const struct model_feature *features = scratch->features;
  for (size_t i = 0; i < scratch->feature_count; ++i) {
    if (features[i].group != one) continue;
    for (size_t j = one == other ? i : 0; j < scratch->feature_count; ++j) {
      if (features[j].group != other) continue;
      const double value = features[i].value * features[j].value;
      if (value - value != 0.0) return 0;
      /* signed hashes compare as unsigned ones with the highest bit flipped */
      const uint32_t h = features[i].hash, k = features[j].hash, flip = UINT32_C(1) << 31;
      const int is_swapped = one == other && (k ^ flip) < (h ^ flip);
      const uint32_t first = is_swapped ? k : h, second = is_swapped ? h : k;
      if (value != 0.0) add_entry(scratch, first * UINT32_C(16777619) ^ second, value);
    }
  }
  return 1;
}

/* Add the entries of all features, and of their products. */
static int add_features(struct model_scratch *scratch) {
  for (size_t i = 0; i < scratch->feature_count; ++i)
    add_entry(scratch, scratch->features[i].hash, scratch->features[i].value);
  for (int p = 0; p < PAIR_COUNT; ++p)
    if (!add_products(scratch, PAIRS_OF_GROUPS[p][0], PAIRS_OF_GROUPS[p][1])) return 0;
  return 1;
}

