/* --- rows of numbers ------------------------------------------------------------------------ */

int model_predict(const double row[MODEL_NUMBERS], double scores[MODEL_SCORES]) {
  struct sums sums = {0};
  for (long index = 0; index < MODEL_NUMBERS; ++index) {
    if (row[index] - row[index] != 0.0) return MODEL_BAD_NUMBER;
    if (!SPARSE || row[index] != 0.0) add_term(&sums, index, row[index]);
  }
  finish(&sums, scores);
  return label_of(scores);
}
