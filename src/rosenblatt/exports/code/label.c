/* --- the label --------------------------------------------------------------------------------- */

static int label_of(const double scores[MODEL_SCORES]) {
  if (MODEL_SCORES == 1) return ZERO_IS_SECOND ? scores[0] >= 0.0 : scores[0] > 0.0;
  int best = 0;
  for (int k = 1; k < MODEL_SCORES; ++k)
    if (scores[k] > scores[best] || (scores[k] != scores[k] && scores[best] == scores[best])) best = k;
  return best;
}
