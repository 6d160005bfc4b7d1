// Scores of rows by weights, as plain pointers, for all instruction sets.

#pragma once

#include <cstdint>

#include "linear/problem.h"

// Weights of shape (d, P), P = 1 or a multiple of eight.
struct WeightsView {
  const void* W;
  bool single;  // of float, else of double
  std::int64_t P;
};

// What the scores of a state are computed from, by its names: see score_row.
struct ScoreState {
  WeightsView W, U;  // U: null without the average
  const double *b, *ub, *scale, *area;
  const std::int64_t* t;
};

// The first of the largest scores; of NaN, the first. Static: several instruction sets must not share
// one.
static inline std::int64_t best_of(const double* scores, std::int64_t K) {
  std::int64_t best = 0;
  for (std::int64_t k = 0; k < K; ++k) {
    if (scores[k] != scores[k]) return k;
    if (scores[k] > scores[best]) best = k;
  }
  return best;
}

struct ScoreFunctions {
  // √(Σ x²) of n numbers; NaN if one is not finite, infinite where only the sum is.
  double (*norm)(const void* numbers, bool single, std::int64_t n);
  // max ‖x_i‖² over the first n rows, 0 for none.
  double (*largest_sqnorm)(const RowsView&, bool single, std::int64_t n);
  // out[r, k] = ⟨W[:, k], x_r⟩ of the first n rows, for the first `columns` k; `adds`: += .
  // `dots` has room for BLOCK_ROWS · work_columns(P) numbers. False: a row has a column that W lacks.
  bool (*products)(const RowsView&, bool single, const WeightsView&, std::int64_t n,
                   std::int64_t columns, bool adds, double* dots, double* out);
  // The scores of row i by a state; `dots` has room for 2 P numbers.
  void (*score_row)(const RowsView&, bool single, std::int64_t i, const ScoreState&,
                    std::int64_t columns, bool average, double* dots, double* out);
};
