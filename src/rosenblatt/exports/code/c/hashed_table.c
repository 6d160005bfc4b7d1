
int model_predict(const struct model_row *row, struct model_scratch *scratch,
                  double scores[MODEL_SCORES]) {
  scratch->feature_count = scratch->used = 0;
@FEATURES@
  return scored(scratch, scores);
}
