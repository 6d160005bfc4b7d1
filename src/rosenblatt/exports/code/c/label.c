/* --- the label ------------------------------------------------------------------------------ */

static int label_of(const double scores[MODEL_SCORES]) {
  if (MODEL_SCORES == 1) return ZERO_IS_SECOND ? scores[0] >= 0.0 : scores[0] > 0.0;
  int best = 0;
  for (int k = 1; k < MODEL_SCORES; ++k) {
    const int is_first_nan = scores[k] != scores[k] && scores[best] == scores[best];
    if (scores[k] > scores[best] || is_first_nan) best = k;
  }
  return best;
}
