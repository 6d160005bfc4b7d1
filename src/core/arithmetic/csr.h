// Sparse rows, of float or double: only the values that are not zero.

#pragma once

#include "arithmetic/dense.h"

namespace INSTRUCTION_SET {

template <class T>
struct CSR {
  using Value = T;
  static constexpr bool is_sparse = true;
  const T* data;
  const u32* indices;
  const i64* indptr;
  i64 n, d;

  explicit CSR(const RowsView& rows)
      : data((const T*)rows.values), indices(rows.indices), indptr(rows.indptr), n(rows.n), d(rows.d) {}

  void point(Walk& walk, i64 i) const {
    walk.values = data + indptr[i], walk.indices = indices + indptr[i];
    walk.count = indptr[i + 1] - indptr[i];
  }

  template <class F>
  INLINE void each(i64 i, F f) const {
    for (i64 p = indptr[i], stop = indptr[i + 1]; p < stop; ++p) f(i64(indices[p]), data[p]);
  }

  // Inlined: gcc drops a call that only prefetches. A shuffled order defeats the hardware.
  INLINE void prefetch_row(const i64* order, i64 n, i64 m) const {
    prefetch(indptr + order[smaller(n + 2 * PREFETCH_DISTANCE, m - 1)]);
    const i64 i = order[smaller(n + PREFETCH_DISTANCE, m - 1)];
    const i64 start = indptr[i], stop = indptr[i + 1];
    if (start == stop) return;
    for (i64 p = start; p + 8 < stop; p += 16) {
      prefetch(indices + p);
      prefetch(data + p);
      prefetch(data + p + 8);
    }
    prefetch(indices + stop - 1);
    prefetch(data + stop - 1);
  }

  // In four partial sums.
  template <class U>
  INLINE double dot(i64 i, const U* w) const {
    i64 p = indptr[i];
    const i64 stop = indptr[i + 1];
    double a = 0.0, b = 0.0, c = 0.0, e = 0.0;
    for (; p + 4 <= stop; p += 4) {
      a += double(w[indices[p]] * data[p]);
      b += double(w[indices[p + 1]] * data[p + 1]);
      c += double(w[indices[p + 2]] * data[p + 2]);
      e += double(w[indices[p + 3]] * data[p + 3]);
    }
    for (; p < stop; ++p) a += double(w[indices[p]] * data[p]);
    return (a + b) + (c + e);
  }

  INLINE double sqnorm(i64 i) const {
    double sum = 0.0;
    for (i64 p = indptr[i], stop = indptr[i + 1]; p < stop; ++p)
      sum += double(data[p]) * double(data[p]);
    return sum;
  }

  INLINE double bound_of_sqnorm(i64 i) const {
    return rough_sqnorm(data + indptr[i], indptr[i + 1] - indptr[i]);
  }

  // One row: sparse rows share few weights.
  template <class U>
  INLINE int block(const i64* order, i64 n, i64, const U* w, double* dots, double* squares,
                   bool wanted) const {
    dots[0] = dot(order[n], w);
    if (wanted) squares[0] = sqnorm(order[n]);
    return 1;
  }

  template <class V>
  INLINE void axpy(i64 i, double tau, V* w) const {
    for (i64 p = indptr[i], stop = indptr[i + 1]; p < stop; ++p)
      w[indices[p]] = V(double(w[indices[p]]) + double(data[p]) * tau);
  }

  template <class U>
  INLINE int block_multi(const i64* order, i64 n, i64 m, const U* W, i64 P, int vectors, bool fetch,
                         double* dots, double* squares, bool wanted) const {
    const i64 i = order[n], start = indptr[i], stop = indptr[i + 1];
    const i64 next = order[smaller(n + 1, m - 1)];
    const i64 ahead = indptr[next] - start, last = fetch ? indptr[next + 1] - ahead : start;
    in_passes<SPARSE_VECTORS>(vectors, [&](auto size, i64 k) INLINED {
      constexpr int V = size;
      Doubles sums[V];
      double q = 0.0;
      for (int v = 0; v < V; ++v) sums[v] = Doubles{};
      auto walk = [&](auto with_squares) INLINED {
        for (i64 p = start; p < stop; ++p) {
          const T value = data[p];
          const auto xs = spread(U(value));
          const U* w = W + i64(indices[p]) * P + k;
          if (p < last) {
            const char* f = (const char*)(W + i64(indices[p + ahead]) * P + k);
            for (unsigned q = 0; q < V * WIDTH * sizeof(U); q += CACHE_LINE) prefetch(f + q);
          }
          if constexpr (with_squares) q += double(value) * double(value);
#pragma GCC unroll 16
          for (int v = 0; v < V; ++v) sums[v] += wide(load(w + v * WIDTH) * xs);
        }
      };
      if (wanted && k == 0) {
        walk(Constant<true>());
        *squares = q;
      } else {
        walk(Constant<false>());
      }
      for (int v = 0; v < V; ++v) store(dots + k + v * WIDTH, sums[v]);
    });
    return 1;
  }

  template <class V>
  INLINE void axpy_multi(i64 i, const double* steps, V* W, i64 P) const {
    for (i64 k = 0; k < P; k += LANES) {
      if (!any_nonzero(steps + k)) continue;
      constexpr int Q = LANES / WIDTH;
      Doubles step[Q];
      for (int v = 0; v < Q; ++v) step[v] = load(steps + k + v * WIDTH);
      for (i64 p = indptr[i], stop = indptr[i + 1]; p < stop; ++p) {
        const Doubles xs = spread(double(data[p]));
        V* w = W + i64(indices[p]) * P + k;
        for (int v = 0; v < Q; ++v) store(w + v * WIDTH, wide(load(w + v * WIDTH)) + xs * step[v]);
      }
    }
  }

  // The next row, which shares few weights, is not scored: returns 0.
  INLINE int axpy_dot_multi(const i64* order, i64 n, i64, const double* steps, T* W, i64 P, int, double*,
                            double*, bool) const {
    axpy_multi(order[n], steps, W, P);
    return 0;
  }
};

}  // namespace INSTRUCTION_SET
