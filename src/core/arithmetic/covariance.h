// A full covariance matrix Σ for each weight vector: column k of S, row after row of Σ. The
// intercept is the weight of one more feature, the first, which is 1.

#pragma once

#include "arithmetic/confidences.h"

namespace INSTRUCTION_SET {

// xᵀΣx below this share of Σ x_j² Σ_jj is rounding, and a step leaves this share of it. Errors of
// xᵀΣx are about 1e-16 of that sum.
constexpr double LEAST_SHARE = 1e-13;

// Σ stays as it is along x where xᵀΣx/‖x‖² is below this, far above underflow.
constexpr double LEAST_VARIANCE = 1e-100;

// xᵀΣx of weight vector k; Σx is kept in its projections. Σ is symmetric, so rows of it are read.
template <class Rows, class T>
double full_variance(const Rows& rows, i64 i, const State<T>& s, i64 k, bool intercept,
                     double* projections, double* variances) {
  const i64 size = s.d + 1;
  const double* S = s.S + k;
  double* p = projections + k * size;
  const double bias = intercept ? 1.0 : 0.0;
  for (i64 m = 0; m < size; ++m) p[m] = 0.0;
  const auto add_product = [&](i64 j, double value) {
    if (value == 0.0) return;
    for (i64 m = 0; m < size; ++m) p[m] += value * S[(j * size + m) * s.P];
  };
  add_product(0, bias);
  rows.each(i, [&](i64 j, T x) { add_product(j + 1, double(x)); });
  double total = bias * p[0], spread = bias * S[0];
  rows.each(i, [&](i64 j, T value) {
    const double x = double(value);
    total += x * p[j + 1];
    spread += x * x * S[((j + 1) * size + j + 1) * s.P];
  });
  variances[k] = greatest(total, LEAST_SHARE * spread);
  return variances[k];
}

// Move weight vector k by τ Σx, and shrink Σ; returns the step of the intercept.
template <class Rows, class T>
double move_by_covariance(const Rows& rows, i64 i, State<T>& s, i64 k, double tau, double beta,
                          double area, bool intercept, const double* p, double variance) {
  const i64 size = s.d + 1;
  constexpr double largest = Limits<T>::largest_move;
  double* S = s.S + k;
  double share = beta / (1.0 + beta * variance);
  const double norm = rows.sqnorm(i) + (intercept ? 1.0 : 0.0);
  if (beta * variance > 1.0 / LEAST_SHARE) share = (1.0 - LEAST_SHARE) / variance;
  if (variance > LEAST_VARIANCE * norm)
    for (i64 j = 0; j < size; ++j)
      for (i64 m = 0; m < size; ++m) S[(j * size + m) * s.P] -= share * (p[j] * p[m]);
  for (i64 j = 0; j < size - 1; ++j) {
    const double step = clipped(tau * p[j + 1], largest);
    T& w = s.W[j * s.P + k];
    w = T(double(w) + step);
    if (s.U) s.U[j * s.P + k] += area * step;
  }
  return clipped(tau * p[0], largest);
}

}  // namespace INSTRUCTION_SET
