/* --- sums in the library's order: from the first term to the last --------------------------- */

struct sums {
  double totals[MODEL_SCORES];
};

/* Add the term of an index of weights, −1 for weights of zero. */
static void add_term(struct sums *sums, long index, double value) {
  for (int k = 0; k < MODEL_SCORES && index >= 0; ++k) {
    const double product = WEIGHTS[index * MODEL_SCORES + k] * value;
    sums->totals[k] += product;
  }
}

static void finish(const struct sums *sums, double scores[MODEL_SCORES]) {
  for (int k = 0; k < MODEL_SCORES; ++k) scores[k] = sums->totals[k] + INTERCEPTS[k];
}
