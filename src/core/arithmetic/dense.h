// Dense rows, of float or double: one weight vector w, or W with one row of weights a feature.

#pragma once

#include "arithmetic/lanes.h"
#include "arithmetic/passes.h"
#include "linear/problem.h"

namespace INSTRUCTION_SET {

// x ≠ 0 by its bits: one test and branch, where a comparison takes two, for NaN.
INLINE bool is_nonzero(float x) {
  u32 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits << 1) != 0;
}
INLINE bool is_nonzero(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits << 1) != 0;
}

INLINE bool any_nonzero(const double* steps) {
  bool result = false;
  for (int lane = 0; lane < LANES; ++lane) result |= steps[lane] != 0.0;
  return result;
}

// Σ x_j² in any order: as a bound of what a step can do, see overflows, not as a number to learn by.
template <class T>
INLINE double rough_sqnorm(const T* x, i64 n) {
  Doubles a = Doubles{}, b = Doubles{};
  i64 j = 0;
  for (; j + 2 * WIDTH <= n; j += 2 * WIDTH) {
    const Doubles u = wide(load(x + j)), v = wide(load(x + j + WIDTH));
    a += u * u;
    b += v * v;
  }
  a += b;
  double sum = 0.0;
  for (int lane = 0; lane < WIDTH; ++lane) sum += a[lane];
  for (; j < n; ++j) sum += double(x[j]) * double(x[j]);
  return sum;
}

template <class T>
struct Dense {
  using Value = T;
  static constexpr bool is_sparse = false;
  const T* X;
  i64 n, d;

  explicit Dense(const RowsView& rows) : X((const T*)rows.values), n(rows.n), d(rows.d) {}

  INLINE const T* row(i64 i) const { return X + i * d; }

  // Write where the values of row i are, for a walk.
  void point(Walk& walk, i64 i) const { walk.values = row(i), walk.count = d; }

  // Features and values of row i, one after the other.
  template <class F>
  INLINE void each(i64 i, F f) const {
    const T* x = row(i);
    for (i64 j = 0; j < d; ++j) f(j, x[j]);
  }

  // Inlined: gcc drops a call that only prefetches. The hardware loads what comes after four lines.
  INLINE void prefetch_row(const i64* order, i64 n, i64 m) const {
    const char* p = (const char*)row(order[smaller(n + PREFETCH_DISTANCE, m - 1)]);
    const i64 bytes = smaller(d * i64(sizeof(T)), 4 * CACHE_LINE);
    for (i64 q = 0; q < bytes; q += CACHE_LINE) prefetch(p + q);
  }

  // U is the type of the weights: products are of the wider type, or of that of several vectors.
  template <class U>
  INLINE double dot(i64 i, const U* w) const {
    const T* x = row(i);
    double sum = 0.0;
    for (i64 j = 0; j < d; ++j) sum += double(w[j] * x[j]);
    return sum;
  }

  INLINE double sqnorm(i64 i) const {
    const T* x = row(i);
    double sum = 0.0;
    for (i64 j = 0; j < d; ++j) sum += double(x[j]) * double(x[j]);
    return sum;
  }

  INLINE double bound_of_sqnorm(i64 i) const { return rough_sqnorm(row(i), d); }

  // ⟨w, x⟩ of the next four rows, and ‖x‖² if wanted: independent sums hide the latency of additions.
  template <class U>
  INLINE int block(const i64* order, i64 n, i64 m, const U* w, double* dots, double* squares,
                   bool wanted) const {
    if (n + 4 > m) {
      dots[0] = dot(order[n], w);
      if (wanted) squares[0] = sqnorm(order[n]);
      return 1;
    }
    if (wanted) score_four<true>(order + n, w, dots, squares);
    else score_four<false>(order + n, w, dots, squares);
    return 4;
  }

  template <bool SQ, class U>
  INLINE void score_four(const i64* rows, const U* w, double* dots, double* squares) const {
    const T *a = row(rows[0]), *b = row(rows[1]), *c = row(rows[2]), *e = row(rows[3]);
    double A = 0.0, B = 0.0, C = 0.0, E = 0.0, qa = 0.0, qb = 0.0, qc = 0.0, qe = 0.0;
    for (i64 j = 0; j < d; ++j) {
      A += double(w[j] * a[j]);
      B += double(w[j] * b[j]);
      C += double(w[j] * c[j]);
      E += double(w[j] * e[j]);
      if (SQ) {
        qa += double(a[j]) * double(a[j]);
        qb += double(b[j]) * double(b[j]);
        qc += double(c[j]) * double(c[j]);
        qe += double(e[j]) * double(e[j]);
      }
    }
    dots[0] = A, dots[1] = B, dots[2] = C, dots[3] = E;
    if (SQ) squares[0] = qa, squares[1] = qb, squares[2] = qc, squares[3] = qe;
  }

  // V is T, or double where the sums of the average are moved.
  template <class V>
  INLINE void axpy(i64 i, double tau, V* w) const {
    const T* x = row(i);
    for (i64 j = 0; j < d; ++j) w[j] = V(double(w[j]) + double(x[j]) * tau);
  }

  // --- several weight vectors: P columns of W, of which the first `vectors` vectors live ---------

  // ⟨W[:, k], x⟩ of R rows, and ‖x‖² if wanted; each weight is loaded once for all.
  template <int R, class U>
  INLINE void score(const i64* rows, const U* W, i64 P, int vectors, double* dots, double* squares,
                    bool wanted) const {
    const T* x[R];
    for (int r = 0; r < R; ++r) x[r] = row(rows[r]);
    in_passes<DENSE_VECTORS>(vectors, [&](auto size, i64 k) INLINED {
      constexpr int V = size;
      Doubles sums[R][V];
      double q[R];
      for (int r = 0; r < R; ++r) {
        q[r] = 0.0;
        for (int v = 0; v < V; ++v) sums[r][v] = Doubles{};
      }
      auto walk = [&](auto with_squares) INLINED {
        const U* w = W + k;
        for (i64 j = 0; j < d; ++j, w += P) {
#pragma GCC unroll 8
          for (int r = 0; r < R; ++r) {
            const T value = x[r][j];
            const auto xs = spread(U(value));
            if constexpr (with_squares) q[r] += double(value) * double(value);
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) sums[r][v] += wide(load(w + v * WIDTH) * xs);
          }
        }
      };
      if (wanted && k == 0) {
        walk(Constant<true>());
        for (int r = 0; r < R; ++r) squares[r] = q[r];
      } else {
        walk(Constant<false>());
      }
      for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) store(dots + r * P + k + v * WIDTH, sums[r][v]);
    });
  }

  template <class U>
  INLINE int block_multi(const i64* order, i64 n, i64 m, const U* W, i64 P, int vectors, bool,
                         double* dots, double* squares, bool wanted) const {
    if (n + 4 <= m) {
      score<4>(order + n, W, P, vectors, dots, squares, wanted);
      return 4;
    }
    score<1>(order + n, W, P, vectors, dots, squares, wanted);
    return 1;
  }

  // W[:, k] ← W[:, k] + steps[k] x. Eight classes without a step are left alone.
  template <class V>
  INLINE void axpy_multi(i64 i, const double* steps, V* W, i64 P) const {
    const T* x = row(i);
    for (i64 k = 0; k < P; k += LANES) {
      if (!any_nonzero(steps + k)) continue;
      constexpr int Q = LANES / WIDTH;
      Doubles step[Q];
      for (int v = 0; v < Q; ++v) step[v] = load(steps + k + v * WIDTH);
      for (i64 j = 0; j < d; ++j) {
        if (!is_nonzero(x[j])) continue;  // images are mostly black
        const Doubles xs = spread(double(x[j]));
        V* w = W + j * P + k;
        for (int v = 0; v < Q; ++v) store(w + v * WIDTH, wide(load(w + v * WIDTH)) + xs * step[v]);
      }
    }
  }

  // The same, and the dot products of the next row on the same walk; returns their number, 1.
  INLINE int axpy_dot_multi(const i64* order, i64 n, i64 m, const double* steps, T* W, i64 P,
                            int vectors, double* dots, double* squares, bool wanted) const {
    const T *x = row(order[n]), *next = row(order[smaller(n + 1, m - 1)]);
    constexpr int BOTH = 2 * LANES / WIDTH;  // two times eight classes on a walk
    for (int start = 0; start < vectors; start += BOTH) {
      const i64 k = start * WIDTH;
      auto body = [&](auto size, i64) INLINED {
        constexpr int V = size;
        Doubles sums[V], step[V];
        double q = 0.0;
        const bool one = any_nonzero(steps + k);
        const bool two = k + LANES < P && any_nonzero(steps + k + LANES);
        for (int v = 0; v < V; ++v) {
          sums[v] = Doubles{};
          step[v] = load(steps + k + v * WIDTH);
        }
        auto walk = [&](auto with_squares) INLINED {
          T* w = W + k;
          for (i64 j = 0; j < d; ++j, w += P) {
            typename Vector<T>::Type here[V];
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) here[v] = load(w + v * WIDTH);
            if (is_nonzero(x[j])) {
              const Doubles xs = spread(double(x[j]));
#pragma GCC unroll 8
              for (int v = 0; v < V; ++v)
                if (v * WIDTH < LANES ? one : two) {
                  here[v] = narrowed<T>(wide(here[v]) + xs * step[v]);
                  store_exact(w + v * WIDTH, here[v]);
                }
            }
            const T value = next[j];
            const auto xs = spread(value);
            if constexpr (with_squares) q += double(value) * double(value);
#pragma GCC unroll 8
            for (int v = 0; v < V; ++v) sums[v] += wide(here[v] * xs);
          }
        };
        if (wanted && start == 0) {
          walk(Constant<true>());
          squares[0] = q;
        } else {
          walk(Constant<false>());
        }
        for (int v = 0; v < V; ++v) store(dots + k + v * WIDTH, sums[v]);
      };
      with_size<BOTH>(BOTH < vectors - start ? BOTH : vectors - start, body, k);
    }
    return 1;
  }
};

}  // namespace INSTRUCTION_SET
