// Wolfe's descent to the point of least norm, and the perceptron on its rows: see
// engine/hulls.py for the problem and the sources.

#pragma once

#include "arithmetic/csr.h"
#include "hulls/active_set.h"

namespace INSTRUCTION_SET {

// Corrections of a step, before the next row enters. Each takes residuals computed anew from the rows
// (iterative refinement), which gain digits with any factor that has some; else it is to be renewed.
constexpr int MAX_CORRECTIONS = 3;

// Least squared distance of an entering row from the span, over ‖z‖². It is a difference of squares
// with an error of some 2^-53 a row of the set: below 1e-14 little of it may be true.
constexpr double PIVOT = 1e-14;

// The same if Q is computed, which gives the distance itself to some 1e-16 ‖z‖: the square of 1e-13.
constexpr double PIVOT_Q = 1e-26;

template <class Rows>
struct Hull {
  const Rows rows;
  const double* y;
  const i64* group;
  const ActiveSet& active;

  void update_residuals() const {
    for (i64 q = 0; q < *active.size; ++q) {
      const i64 i = active.rows[q];
      active.residual[q] = -y[i] * rows.dot(i, active.w);
    }
  }

  void recompute_w() const {
    for (i64 j = 0; j < active.d; ++j) active.w[j] = active.offset[j];
    for (i64 q = 0; q < *active.size; ++q) {
      const i64 i = active.rows[q];
      rows.axpy(i, active.alpha[q] * y[i], active.w);
    }
    update_residuals();
  }

  bool add_row(i64 i) const {
    const i64 k = *active.size, width = active.capacity, g = group[i];
    double *v = active.direction, *own_row = active.L + k * width;
    rows.axpy(i, y[i], active.new_row);
    for (i64 q = 0; q < k; ++q) {
      const i64 j = active.rows[q];
      v[q] = y[j] * rows.dot(j, active.new_row);
      if (g == group[j] && g != FREE) v[q] += active.group_shift;
    }
    double own = rows.sqnorm(i), pivot, least;
    if (g != FREE) own += active.group_shift;
    if (active.Q) {
      pivot = orthogonalise(active, g);
      least = PIVOT_Q * own;
    } else {
      forward(active.L, width, v, k);
      pivot = own - dot(v, v, k);
      least = PIVOT * own;
    }
    for (i64 j = 0; j < active.d + 2; ++j) active.new_row[j] = 0.0;
    if (!(pivot > least)) return false;
    for (i64 q = 0; q < k; ++q) own_row[q] = v[q];
    own_row[k] = std::sqrt(pivot);
    for (int h = 0; h < 2; ++h) {
      double* ones = active.ones + h * width;
      ones[k] = ((g == h ? 1.0 : 0.0) - dot(own_row, ones, k)) / own_row[k];
    }
    active.rows[k] = i;
    active.alpha[k] = 0.0;
    active.residual[k] = -y[i] * rows.dot(i, active.w);
    *active.size = k + 1;
    return true;
  }

  // Move to the minimum over the hull of the active set; false if the factor fails.
  bool move_to_minimum(const Descent& how) const {
    for (int corrections = 0; corrections < MAX_CORRECTIONS;) {
      compute_direction(active);
      const i64 q = blocking_row(active);
      if (q >= 0) {
        const double share = step_fraction(active, q);
        for (i64 p = 0; p < *active.size; ++p) {
          active.alpha[p] += share * active.direction[p];
          active.residual[p] *= 1.0 - share;  // up to a constant in each group
        }
        how.excluded[active.rows[q]] = false;
        remove_row(active, q);
        corrections = 0;
        continue;
      }
      for (i64 p = 0; p < *active.size; ++p) active.alpha[p] += active.direction[p];
      if (active.Q) {
        recompute_w_from_q(active);
        update_residuals();
        return true;
      }
      recompute_w();
      // A tenth, so that the tolerance is left to the rows outside of the set.
      if (max_violation(active, group) <= 0.1 * slack_tolerance(active, how.tol, how.scale)) return true;
      ++corrections;
    }
    return how.keep_going;
  }

  // The candidate furthest below the level of its group, −1 if none is by more than the tolerance.
  i64 entering_row(const Descent& how) const {
    i64 entering = -1;
    double depth = slack_tolerance(active, how.tol, how.scale), dots[BLOCK_ROWS];
    for (i64 n = 0; n < how.m;) {
      const int scored = rows.block(how.candidates, n, how.m, active.w, dots, nullptr, false);
      for (int r = 0; r < scored; ++r) {
        const i64 i = how.candidates[n + r];
        const double below = active.levels[group[i]] - y[i] * dots[r];
        if (below > depth && !how.excluded[i]) {
          entering = i;
          depth = below;
        }
      }
      n += scored;
    }
    return entering;
  }

  Outcomes descend(const Descent& how) const {
    for (i64 q = 0; q < *active.size; ++q) how.excluded[active.rows[q]] = true;
    for (i64 step = 0; step < how.steps; ++step) {
      if (!move_to_minimum(how)) return Outcomes::stalled;
      if (dot(active.w, active.w, active.d) <= how.zero) return Outcomes::zero;
      for (i64 g = 0; g < 2; ++g) active.levels[g] = group_level(active, group, g);
      const i64 i = entering_row(how);
      if (i < 0) return Outcomes::optimal;
      if (*active.size == active.capacity) return Outcomes::full;
      how.excluded[i] = true;
      if (!add_row(i) && !how.keep_going) return Outcomes::stalled;
    }
    return Outcomes::step_limit;
  }
};

// The perceptron over the rows in order, until an epoch has no mistake.
template <class Rows>
void run_perceptron(const Rows& rows, const double* y, const PerceptronRun& run) {
  double b = 0.0;
  for (i64 epoch = 0; epoch < run.epochs; ++epoch) {
    bool no_mistake = true;
    for (i64 i = 0; i < rows.n; ++i) {
      if (y[i] * (rows.dot(i, run.w) + b * run.constant) > 0.0) continue;
      no_mistake = false;
      ++run.mistakes[i];
      rows.axpy(i, y[i], run.w);
      b += y[i];
    }
    ++run.outcome[0];
    if (no_mistake) {
      run.outcome[1] = 1;
      return;
    }
  }
}

}  // namespace INSTRUCTION_SET
