// The Projectron and Projectron++. Orabona, Keshet and Caputo 2009.

#pragma once

#include <cmath>

#include "kernel/budget.h"

namespace INSTRUCTION_SET {

// A row is linearly dependent on the support rows if its squared distance from their span is at most
// this share of k(x, x). With a much smaller share, coefficients of many millions cancel each other.
constexpr double DEPENDENCE_TOLERANCE = 1e-3;

// The least η² of Projectron++, as a share of k(x, x): with 1e-4 coefficients stay below some
// thousands, in float32, too; with 1e-6 they reach 10⁵.
constexpr double LEAST_SQUARED_SHARE = 1e-4;

// Write the projection of row r onto the support rows; its squared distance from them.
inline double project(Budget& budget, i64 r) {
  if (budget.projected) return budget.outside;
  const i64 B = budget.of.B, k = budget.size();
  const double* values = budget.support_gram(r);
  double* sums = budget.of.projection;
  for (i64 s = 0; s < k; ++s) sums[s] = 0.0;
  for (i64 q = 0; q < k; ++q) {  // the inverse is symmetric to the last bit: a row is a column
    const double *column = budget.of.inverse + q * B, value = values[q];
    for (i64 s = 0; s < k; ++s) sums[s] += column[s] * value;
  }
  double outside = budget.of.diagonal[r];
  for (i64 s = 0; s < k; ++s) outside -= sums[s] * values[s];
  budget.projected = true;
  return budget.outside = greatest(0.0, outside);
}

// Add a row and a column to the inverse, for the row that was just projected (bordering).
inline void extend_inverse(Budget& budget, double outside) {
  const i64 B = budget.of.B, k = budget.size();
  const double* p = budget.of.projection;
  double *inverse = budget.of.inverse, *last = inverse + k * B;
  for (i64 s = 0; s < k; ++s) {
    for (i64 q = 0; q < k; ++q) inverse[s * B + q] += p[s] * p[q] / outside;
    inverse[s * B + k] = last[s] = -p[s] / outside;
  }
  last[k] = 1.0 / outside;
}

// A slot for row r if one is free and its squared distance exceeds `limit`, else −1: projected.
inline i64 allocate_or_project(Budget& budget, i64 r, double limit) {
  const i64 slot = budget.size();
  const double outside = project(budget, r);
  if (slot < budget.of.B && outside > limit) {
    extend_inverse(budget, outside);
    return slot;
  }
  for (i64 k = 0; k < budget.spec.K; ++k)
    if (budget.buffers.taus[k] != 0.0) budget.move_along_projection(k, budget.buffers.taus[k]);
  return -1;
}

// η² of row r for Projectron++ while the budget is not full.
inline double squared_eta(const Budget& budget, i64 r) {
  return greatest(budget.of.eta * budget.of.eta, LEAST_SQUARED_SHARE * budget.of.diagonal[r]);
}

// y τ of Projectron++ if row r is right by a margin below 1, else 0.
inline double margin_step(Budget& budget, i64 r, double y, double score) {
  const double hinge = 1.0 - y * score;
  if (!(0.0 < hinge && hinge < 1.0)) return 0.0;
  const double outside = project(budget, r), within = budget.of.diagonal[r] - outside;
  double left = hinge;
  if (budget.size() < budget.of.B)
    left -= std::sqrt(outside / squared_eta(budget, r));  // else η is infinite
  if (left <= 0.0 || within <= 0.0) return 0.0;
  return y * least(least(hinge / within, 2.0 * left / within), 1.0);
}

inline i64 project_dependent(Budget& budget, i64 r) {
  return allocate_or_project(budget, r, DEPENDENCE_TOLERANCE * budget.of.diagonal[r]);
}

inline i64 project_near(Budget& budget, i64 r) {
  return allocate_or_project(budget, r, squared_eta(budget, r));
}

constexpr Scheme projectron_budgets[] = {
    {{"Projectron", false, true}, project_dependent, nullptr},
    {{"ProjectronPlus", false, true}, project_near, margin_step},
};

}  // namespace INSTRUCTION_SET
