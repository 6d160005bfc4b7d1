
int model_predict(const char *text, struct model_scratch *scratch, double scores[MODEL_SCORES]) {
  scratch->used = 0;
  const int fault = add_text(scratch, text, strlen(text));
  return fault != MODEL_OK ? fault : scored(scratch, scores);
}
