// Scores of rows, for one instruction set: in the order of the rows' dot products, never by BLAS.

#include "matrices/scores.h"

#include <cmath>
#include <limits>

#include "arithmetic/csr.h"

namespace INSTRUCTION_SET {

// f(rows) with the kind of rows.
template <class F>
INLINE void with_rows(const RowsView& view, bool single, F f) {
  if (view.indptr) single ? f(CSR<float>(view)) : f(CSR<double>(view));
  else single ? f(Dense<float>(view)) : f(Dense<double>(view));
}

// f(rows, weights) with the kinds of both.
template <class F>
INLINE void with_types(const RowsView& view, bool single, const WeightsView& weights, F f) {
  with_rows(view, single, [&](const auto& rows) {
    if (weights.single) f(rows, (const float*)weights.W);
    else f(rows, (const double*)weights.W);
  });
}

// Partial sums of a norm: enough to hide the latency of an addition, for every width.
constexpr int PARTS = 16;

// Partial sum j adds the squares of numbers j, j + PARTS, …; then they are added in pairs.
template <class T>
INLINE double norm_of(const T* x, i64 n) {
  Doubles sums[PARTS / WIDTH] = {};
  i64 i = 0;
  for (; i + PARTS <= n; i += PARTS)
    for (int v = 0; v < PARTS / WIDTH; ++v) {
      const Doubles numbers = wide(load(x + i + v * WIDTH));
      sums[v] += numbers * numbers;
    }
  double parts[PARTS];
  for (int v = 0; v < PARTS / WIDTH; ++v) store(parts + v * WIDTH, sums[v]);
  for (int j = 0; i < n; ++i, ++j) parts[j] += double(x[i]) * double(x[i]);
  for (int half = PARTS / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) parts[j] += parts[j + half];
  if (!std::isfinite(parts[0]))
    for (i = 0; i < n; ++i)
      if (!std::isfinite(x[i])) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(parts[0]);
}

static double norm(const void* numbers, bool single, i64 n) {
  return single ? norm_of((const float*)numbers, n) : norm_of((const double*)numbers, n);
}

static double largest_sqnorm(const RowsView& view, bool single, i64 n) {
  double largest = 0.0;
  with_rows(view, single, [&](const auto& rows) {
    for (i64 i = 0; i < n; ++i) largest = greatest(largest, rows.sqnorm(i));
  });
  return largest;
}

INLINE int vectors_of(i64 columns) { return int((columns + WIDTH - 1) / WIDTH); }

// Whether all columns of row i are below d, so that W has weights for them.
template <class T>
INLINE bool is_within(const CSR<T>& rows, i64 i) {
  u32 largest = 0;
  for (i64 p = rows.indptr[i]; p < rows.indptr[i + 1]; ++p)
    largest = rows.indices[p] > largest ? rows.indices[p] : largest;
  return rows.indptr[i] == rows.indptr[i + 1] || i64(largest) < rows.d;
}
template <class T>
INLINE bool is_within(const Dense<T>&, i64) {
  return true;
}

// The dot products of the next rows from r on; returns how many.
template <class Rows, class V>
INLINE int score_block(const Rows& rows, i64 r, i64 n, const V* W, i64 P, i64 columns, double* dots) {
  const i64 order[BLOCK_ROWS] = {r, r + 1, r + 2, r + 3}, m = r + BLOCK_ROWS <= n ? BLOCK_ROWS : 1;
  if (P == 1) return rows.block(order, 0, m, W, dots, nullptr, false);
  return score_rows(rows, order, 0, m, W, P, vectors_of(columns), dots);
}

static bool write_products(const RowsView& view, bool single, const WeightsView& weights, i64 n,
                           i64 columns, bool adds, double* dots, double* out) {
  bool within = true;
  with_types(view, single, weights, [&](const auto& rows, const auto* W) {
    for (i64 r = 0; r < n;) {
      if (!(within = is_within(rows, r))) return;  // blocks of rows are dense
      const int scored = score_block(rows, r, n, W, weights.P, columns, dots);
      for (int q = 0; q < scored; ++q, ++r)
        for (i64 k = 0; k < columns; ++k) {
          const double value = dots[q * weights.P + k];
          out[r * columns + k] = adds ? out[r * columns + k] + value : value;
        }
    }
  });
  return within;
}

static void score_row(const RowsView& view, bool single, i64 i, const ScoreState& state, i64 columns,
                      bool average, double* dots, double* out) {
  const i64 P = state.W.P;
  const auto write = [&](const WeightsView& weights, double* to) {
    with_types(view, single, weights,
               [&](const auto& rows, const auto* W) { score_block(rows, i, i, W, P, columns, to); });
  };
  write(state.W, dots);
  const double t = double(*state.t);
  if (!average || !(t > 0.0)) {
    for (i64 k = 0; k < columns; ++k) out[k] = dots[k] * state.scale[k] + state.b[k];
    return;
  }
  write(state.U, dots + P);
  for (i64 k = 0; k < columns; ++k) {
    const double averaged = (state.area[k] * dots[k] - dots[P + k]) / t;
    out[k] = averaged + state.b[k] - state.ub[k] / t;
  }
}

extern const ScoreFunctions score_functions = {norm, largest_sqnorm, write_products, score_row};

}  // namespace INSTRUCTION_SET
