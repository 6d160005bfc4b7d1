/* --- the sum in the library's order: four parts, of every fourth term; the first has the rest  */

struct sums {
  double parts[4], waiting[4];
  int count;
};

/* Add the term of an index of weights, −1 for a weight of zero. */
static void add_term(struct sums *sums, long index, double value) {
  const double product = (index < 0 ? 0.0 : WEIGHTS[index]) * value;
  sums->waiting[sums->count++] = product;
  if (sums->count < 4) return;
  for (int i = 0; i < 4; ++i) sums->parts[i] += sums->waiting[i];
  sums->count = 0;
}

static void finish(const struct sums *sums, double scores[MODEL_SCORES]) {
  double first = sums->parts[0];
  for (int i = 0; i < sums->count; ++i) first += sums->waiting[i];
  const double one = first + sums->parts[1], other = sums->parts[2] + sums->parts[3];
  scores[0] = (one + other) + INTERCEPTS[0];
}
