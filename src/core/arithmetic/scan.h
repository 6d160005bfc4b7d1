// The scan of a rule that chooses its row, as MinOver does.

#pragma once

#include "arithmetic/stepper.h"

namespace INSTRUCTION_SET {

// Write the row of `order` with the least overlap with each weight vector, the first of all; −1 for
// a weight vector that is not active, or where all rows have weight zero.
template <class Rows>
void least_overlaps(const Rows& rows, const Problem& problem, i64* chosen) {
  using T = typename Rows::Value;
  const State<T> s(problem.state);
  const Spec& spec = problem.spec;
  const Work work(problem);
  const bool one = spec.scheme == Scheme::none;
  const i64 K = one ? 1 : spec.K, P = s.P;
  const int vectors = int((K + WIDTH - 1) / WIDTH);
  double *dots = work.dots, *least = work.scores, unused[BLOCK_ROWS];
  for (i64 k = 0; k < K; ++k) chosen[k] = -1;
  int scored = 0, r = 0;
  for (i64 n = 0; n < problem.m; ++n) {
    rows.prefetch_row(problem.order, n, problem.m);
    if (++r >= scored) {
      r = 0;
      scored = one ? rows.block(problem.order, n, problem.m, s.W, dots, unused, false)
                   : score_rows(rows, problem.order, n, problem.m, s.W, P, vectors, dots);
    }
    const i64 i = problem.order[n];
    for (i64 k = 0; k < K; ++k) {
      double factor = problem.weight[i], sign = one ? ((const double*)problem.y)[i] : -1.0;
      if (!one && ((const i64*)problem.y)[i] == k) {
        factor *= spec.class_weight[k];
        sign = 1.0;
      }
      if (!s.active[k] || factor == 0.0) continue;
      const double score = rounded<T>(dots[r * P + k] * s.scale[k]) + s.b[k];
      const double overlap = spec.rule->overlap(spec.parameters, score, sign);
      if (chosen[k] < 0 || overlap < least[k]) {
        chosen[k] = i;
        least[k] = overlap;
      }
    }
  }
}

}  // namespace INSTRUCTION_SET
