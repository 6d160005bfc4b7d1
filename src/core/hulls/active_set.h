// The active set: the rows of positive weight, their Cholesky factor, and the step to the minimum.
//
// Wolfe (1976) calls these rows a corral. Only descent.h reads rows; this file takes its results.

#pragma once

#include <cmath>

#include "arithmetic/lanes.h"
#include "hulls/problem.h"

namespace INSTRUCTION_SET {

constexpr i64 PARTIAL_SUMS = 4 * LANES;  // of a dot product

// Σ a_j b_j over the first k: in partial sums, whose halves are added until one is left, and the rest.
inline double dot(const double* a, const double* b, i64 k) {
  double total = 0.0;
  i64 j = 0;
  if (k >= PARTIAL_SUMS) {
    constexpr int N = PARTIAL_SUMS / WIDTH;
    Doubles sums[N];
    for (int v = 0; v < N; ++v) sums[v] = Doubles{};
    for (; j + PARTIAL_SUMS <= k; j += PARTIAL_SUMS)
      for (int v = 0; v < N; ++v) sums[v] += load(a + j + v * WIDTH) * load(b + j + v * WIDTH);
    double parts[PARTIAL_SUMS];
    for (int v = 0; v < N; ++v) store(parts + v * WIDTH, sums[v]);
    for (i64 half = PARTIAL_SUMS / 2; half > 0; half /= 2)
      for (i64 l = 0; l < half; ++l) parts[l] += parts[l + half];
    total = parts[0];
  }
  for (; j < k; ++j) total += a[j] * b[j];
  return total;
}

// Solve L v' = v in place; rows of L are `width` numbers apart.
inline void forward(const double* L, i64 width, double* v, i64 k) {
  for (i64 i = 0; i < k; ++i) v[i] = (v[i] - dot(L + i * width, v, i)) / L[i * width + i];
}

// Solve Lᵀ v' = v in place.
inline void backward(const double* L, i64 width, double* v, i64 k) {
  for (i64 i = k - 1; i >= 0; --i) {
    const double* row = L + i * width;
    const double x = v[i] / row[i];
    v[i] = x;
    for (i64 j = 0; j < i; ++j) v[j] -= row[j] * x;
  }
}

// Two numbers, one after the other, as a vector.
typedef double Pairs __attribute__((vector_size(16), may_alias, aligned(8)));

// Rotate two numbers, one after the other, by a Givens rotation: (c x + s y, c y − s x).
//
// GCC 12 takes the two formulas for a complex product, and fuses it with its sum despite
// -ffp-contract=off; it leaves the operations of vectors alone.
inline void rotate(double c, double s, double* numbers) {
  const Pairs here = *(Pairs*)numbers, swapped = {here[1], here[0]};
  *(Pairs*)numbers = here * Pairs{c, c} + swapped * Pairs{s, -s};
}

// The same for the numbers of two rows of length d.
inline void rotate_rows(double c, double s, double* upper, double* lower, i64 d) {
  for (i64 j = 0; j < d; ++j) {
    const double x = upper[j], y = lower[j];
    upper[j] = c * x + s * y;
    lower[j] = c * y - s * x;
  }
}

// Orthogonalise `new_row`: write its row of L to `direction`, its new direction to Q.
// Returns the squared norm of the orthogonal part.
inline double orthogonalise(const ActiveSet& active, i64 g) {
  const i64 k = *active.size, d = active.d + 2;
  double *v = active.direction, *z = active.new_row, *own = active.Q + k * d;
  if (g != FREE) z[d - 2 + g] = std::sqrt(active.group_shift);
  for (i64 j = 0; j < d; ++j) own[j] = z[j];
  for (i64 q = 0; q < k; ++q) v[q] = 0.0;
  for (int pass = 0; pass < 2; ++pass)  // twice is enough (Kahan; Parlett 1980, section 6-9)
    for (i64 q = 0; q < k; ++q) {
      const double* other = active.Q + q * d;
      const double along = dot(other, own, d);
      v[q] += along;
      for (i64 j = 0; j < d; ++j) own[j] -= along * other[j];
    }
  const double square = dot(own, own, d);
  if (square > 0.0) {
    const double length = std::sqrt(square);
    for (i64 j = 0; j < d; ++j) own[j] /= length;
  }
  return square;
}

// Remove the q-th row; Givens rotations restore the factor.
inline void remove_row(const ActiveSet& active, i64 q) {
  const i64 k = *active.size, width = active.capacity, d = active.d + 2;
  double* L = active.L;
  for (i64 i = q; i < k - 1; ++i) {
    active.rows[i] = active.rows[i + 1];
    active.alpha[i] = active.alpha[i + 1];
    active.residual[i] = active.residual[i + 1];
    for (i64 j = 0; j < i + 2; ++j) L[i * width + j] = L[(i + 1) * width + j];
  }
  for (i64 i = q; i < k - 1; ++i) {
    double* row = L + i * width + i;
    const double length = std::hypot(row[0], row[1]);
    const double c = row[0] / length, s = row[1] / length;
    row[0] = length;
    row[1] = 0.0;
    for (i64 m = i + 1; m < k - 1; ++m) rotate(c, s, L + m * width + i);
    for (int g = 0; g < 2; ++g) rotate(c, s, active.ones + g * width + i);
    if (active.Q) rotate_rows(c, s, active.Q + i * d, active.Q + (i + 1) * d, d);
  }
  *active.size = k - 1;
}

// Write the step of α to the minimum over the affine hull of the rows to `direction`.
//
// Without Q, it solves H Δ = r + C ν with CᵀΔ = 0: H is the Gram matrix, r = −z·w, and C has a
// column of zeros and ones for each group. With Q, u = Lᵀα are the coordinates of the minimum in Q,
// and none of their digits cancel.
inline void compute_direction(const ActiveSet& active) {
  const i64 k = *active.size, width = active.capacity;
  const double *zeros = active.ones, *ones = active.ones + width;
  double* direction = active.direction;
  for (i64 q = 0; q < k; ++q)
    direction[q] =
        active.Q ? -dot(active.Q + q * (active.d + 2), active.offset, active.d) : active.residual[q];
  if (!active.Q) forward(active.L, width, direction, k);
  double a = dot(zeros, zeros, k), c = dot(ones, ones, k);
  const double b = dot(zeros, ones, k);
  const double total = active.Q ? 1.0 : 0.0;  // the sum of each group's weights, or of their changes
  const double e = total - dot(zeros, direction, k), f = total - dot(ones, direction, k);
  if (!(a > 0.0)) a = 1.0;  // no row of this group: its column of C is zero
  if (!(c > 0.0)) c = 1.0;
  const double det = a * c - b * b;
  const double nu = (e * c - f * b) / det, mu = (a * f - b * e) / det;
  for (i64 q = 0; q < k; ++q) {
    direction[q] += nu * zeros[q] + mu * ones[q];
    active.coordinates[q] = direction[q];
  }
  backward(active.L, width, direction, k);
  if (active.Q)
    for (i64 q = 0; q < k; ++q) direction[q] -= active.alpha[q];
}

// Set w to o + Qᵀu, in full accuracy.
inline void recompute_w_from_q(const ActiveSet& active) {
  for (i64 j = 0; j < active.d; ++j) active.w[j] = active.offset[j];
  for (i64 q = 0; q < *active.size; ++q) {
    const double u = active.coordinates[q];
    const double* row = active.Q + q * (active.d + 2);
    for (i64 j = 0; j < active.d; ++j) active.w[j] += u * row[j];
  }
}

// The fraction of the step at which the q-th weight is zero.
inline double step_fraction(const ActiveSet& active, i64 q) {
  return active.direction[q] < 0.0 ? active.alpha[q] / -active.direction[q] : 0.0;
}

// The row whose weight reaches zero first on the step, −1 if none does.
inline i64 blocking_row(const ActiveSet& active) {
  i64 first = -1;
  // Above every fraction of a step, which are at most 1.
  double share = 2.0;
  for (i64 q = 0; q < *active.size; ++q) {
    if (!(active.alpha[q] + active.direction[q] <= 0.0)) continue;
    const double reach = step_fraction(active, q);
    if (reach < share) {
      first = q;
      share = reach;
    }
  }
  return first;
}

// Σ α_i z_i·w over group g: at the minimum, z_i·w of each of its rows; 0 if free.
inline double group_level(const ActiveSet& active, const i64* group, i64 g) {
  double level = 0.0;
  for (i64 q = 0; q < *active.size; ++q)
    if (group[active.rows[q]] == g && g != FREE) level -= active.alpha[q] * active.residual[q];
  return level;
}

// The largest distance of a row's z_i·w from the level of its group.
inline double max_violation(const ActiveSet& active, const i64* group) {
  const double levels[] = {group_level(active, group, 0), group_level(active, group, 1), 0.0};
  double worst = 0.0;
  for (i64 q = 0; q < *active.size; ++q)
    worst = greatest(worst, std::fabs(active.residual[q] + levels[group[active.rows[q]]]));
  return worst;
}

// How far below the level of its group z_i·w of a row may lie.
inline double slack_tolerance(const ActiveSet& active, double tol, double scale) {
  const double length = std::sqrt(dot(active.w, active.w, active.d));
  return tol * length * greatest(length, scale);
}

}  // namespace INSTRUCTION_SET
