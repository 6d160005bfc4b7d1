/* --- probabilities -------------------------------------------------------------------------- */
@LOG_EXPIT@
void model_probabilities(const double scores[MODEL_SCORES], double probabilities[MODEL_CLASSES]) {
@BODY@
}
