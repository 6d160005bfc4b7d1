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

/* Add the product of features; within a group the lower hash is first. */
static int add_product(struct model_scratch *scratch, const int *groups, const size_t *chosen,
                       int count) {
  /* signed hashes compare as unsigned ones with the highest bit flipped */
  const uint32_t flip = UINT32_C(1) << 31;
  uint32_t hashes[3], hash;
  double value = 1.0;
  for (int k = 0; k < count; ++k) {
    hashes[k] = scratch->features[chosen[k]].hash;
    value *= scratch->features[chosen[k]].value;
    for (int j = k; j > 0 && groups[j] == groups[j - 1]; --j) {
      if ((hashes[j - 1] ^ flip) <= (hashes[j] ^ flip)) break;
      const uint32_t lower = hashes[j];
      hashes[j] = hashes[j - 1];
      hashes[j - 1] = lower;
    }
  }
  if (value - value != 0.0) return 0;
  hash = hashes[0];
  for (int k = 1; k < count; ++k) hash = hash * UINT32_C(16777619) ^ hashes[k];
  if (value != 0.0) add_entry(scratch, hash, value);
  return 1;
}

/* Add the products of the features of groups, each once; equal groups stand side by side. */
static int add_products(struct model_scratch *scratch, const int *groups, size_t *chosen, int depth,
                        int count) {
  if (depth == count) return add_product(scratch, groups, chosen, count);
  const int is_run = depth > 0 && groups[depth] == groups[depth - 1];
  for (size_t i = is_run ? chosen[depth - 1] : 0; i < scratch->feature_count; ++i) {
    if (scratch->features[i].group != groups[depth]) continue;
    chosen[depth] = i;
    if (!add_products(scratch, groups, chosen, depth + 1, count)) return 0;
  }
  return 1;
}

/* Add the entries of all features, and of their products. */
static int add_features(struct model_scratch *scratch) {
  size_t chosen[3];
  for (size_t i = 0; i < scratch->feature_count; ++i)
    add_entry(scratch, scratch->features[i].hash, scratch->features[i].value);
  for (int p = 0; p < PRODUCT_COUNT; ++p) {
    const int count = PRODUCTS[p][2] < 0 ? 2 : 3;
    if (!add_products(scratch, PRODUCTS[p], chosen, 0, count)) return 0;
  }
  return 1;
}

