/* --- terms: products of cells --------------------------------------------------------------- */

/* A cell: its number, and its code among the texts of its column. */
struct cell {
  double number;
  long code;
};

/* Read the cells of a row; false for a number that is not finite, or missing where none may be. */
static int read_cells(const struct model_row *row, struct cell *cells) {
@CELLS@
  return 1;
}

/* A term has two numbers for each factor: the index of a column, and its code. */
@TERMS@

int model_predict(const struct model_row *row, double scores[MODEL_SCORES]) {
  struct cell cells[COLUMNS];
  struct sums sums = {0};
  if (!read_cells(row, cells)) return MODEL_BAD_NUMBER;
  for (long index = 0; index < TERM_COUNT; ++index) {
    double product = 1.0;
    int is_zero = 0;
    for (unsigned long f = TERM_STARTS[index]; f < TERM_STARTS[index + 1]; ++f) {
      const struct cell cell = cells[FACTORS[f][0]];
      const long code = FACTORS[f][1];
      const double value = code == IS_NUMBER ? cell.number : cell.code == code ? 1.0 : 0.0;
      is_zero = is_zero || value == 0.0;
      product *= value;
    }
    if (is_zero && SPARSE) continue;
    if (product - product != 0.0) return MODEL_BAD_NUMBER;
    add_term(&sums, index, product);
  }
  finish(&sums, scores);
  return label_of(scores);
}
