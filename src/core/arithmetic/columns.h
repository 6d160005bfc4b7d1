// What happens to a column of the state: its scale, its penalty, its average, its pocket.

#pragma once

#include <cmath>

#include "arithmetic/lanes.h"
#include "linear/problem.h"

namespace INSTRUCTION_SET {

constexpr double UNKNOWN = -1.0;  // a squared norm that is to be computed

// The arrays of a state with weights of type T, see StateView.
template <class T>
struct State : StateView {
  T *W, *Q, *champion_W;
  explicit State(const StateView& view)
      : StateView(view), W((T*)view.W), Q((T*)view.Q), champion_W((T*)view.champion_W) {}
};

// Limits that depend on the type of the weights.
//
// - smallest_scale: stored weights are w/scale, up to 1e9 times as large as w (1e6 in float, whose
//   range is shorter). Folding a scale in passes over all weights, so that it is to be rare.
// - far: a move of |τ| (1 + ‖x‖²) < far, divided by the smallest scale, is at most 1e299 (1e31 in
//   float): far below the largest number.
// - largest_move: its product with a number of a row of its size, 1e300 (1e36), is finite.
// - norm_rounding: what a step adds to the relative error of the ‖w‖² that is kept: eight roundings
//   of T, of 2^-53 or 2^-24.
// - norm_tolerance: the relative error from which ‖w‖² is computed anew, in a pass over all weights.
//   In float 1e-6 would be passed by the third step.
template <class T>
struct Limits;
template <>
struct Limits<double> {
  static constexpr double smallest_scale = 1e-9;  // below it, a scale is folded into the weights
  static constexpr double largest_move = 1e150;   // of a weight: scores of rows up to 1e150 are finite
  static constexpr double far = 1e290;            // a step below it leaves all weights finite
  static constexpr double norm_rounding = 1e-15, norm_tolerance = 1e-6;
};
template <>
struct Limits<float> {
  static constexpr double smallest_scale = 1e-6;
  static constexpr double largest_move = 1e18;
  static constexpr double far = 1e25;
  static constexpr double norm_rounding = 5e-7, norm_tolerance = 1e-2;
};

// Multiply `scale` into column k; the area of its average restarts at zero.
template <class T>
__attribute__((noinline)) void fold_scale(State<T>& s, i64 k, double scale, double area) {
  for (i64 j = 0; j < s.d; ++j) {
    T& w = s.W[j * s.P + k];
    if (s.U) s.U[j * s.P + k] -= area * double(w);
    w = T(double(w) * scale);
  }
}

// Shrink the scale of every active column; returns whether a scale was folded in.
template <class T>
bool shrink_scales(State<T>& s, i64 K, double decay) {
  bool folded = false;
  for (i64 k = 0; k < K; ++k) {
    if (!s.active[k]) continue;
    s.scale[k] = rounded<T>(s.scale[k] * decay);
    if (s.scale[k] < Limits<T>::smallest_scale) {
      fold_scale(s, k, s.scale[k], s.area[k]);
      s.scale[k] = 1.0, s.area[k] = 0.0;
      folded = true;
    }
  }
  return folded;
}

// Multiply weight vector k by a factor, before a step τ; returns whether W changed. The squared
// norm that is kept is that after the step; it is unknown where it may be wrong by too much.
template <class T>
__attribute__((noinline)) bool rescale_column(State<T>& s, i64 k, double factor, double tau,
                                              double score, double sqnorm) {
  if (factor == 1.0 && tau == 0.0) return false;
  const double before = factor * factor * s.norms[k], added = tau * (tau * sqnorm);
  const double norm = before + 2.0 * factor * tau * score + added;
  const double error = factor * factor * s.norm_errors[k] + Limits<T>::norm_rounding * (before + added);
  s.norm_errors[k] = error;
  s.norms[k] = error <= Limits<T>::norm_tolerance * norm ? norm : UNKNOWN;
  if (factor == 1.0) return false;
  const double b = s.b[k];
  s.b[k] = factor * b;
  s.ub[k] += double(s.t[0]) * (s.b[k] - b);
  double scale = rounded<T>(s.scale[k] * factor);
  constexpr double smallest = Limits<T>::smallest_scale;
  const bool folded = !(smallest <= scale && scale <= 1.0 / smallest);
  if (folded) {
    fold_scale(s, k, scale, s.area[k]);
    scale = 1.0, s.area[k] = 0.0;
  }
  s.scale[k] = scale;
  return folded;
}

// Whether all weights of vector k that x_i touches are finite. Not inlined: it is asked rarely.
template <class Rows, class T>
__attribute__((noinline)) bool is_finite_along(const Rows& rows, i64 i, const State<T>& s, i64 k) {
  double total = 0.0;  // stays 0 where all are finite: 0 · ∞ and 0 · NaN are NaN, with no branch
  rows.each(i, [&](i64 j, T) { total += 0.0 * double(s.W[j * s.P + k]); });
  return total == 0.0;
}

// Whether a step τ along row i made a weight of vector k infinite, or no number. Only a large step
// can: |τ x_j| ≤ |τ| (1 + ‖x‖²), and a scale is at least 1e-9, or 1e-6. The squared norm that a rule
// sees, or is to compute anew, tells of a factor that was too large.
template <class Rows, class T>
INLINE bool overflows(double tau, const Rows& rows, i64 i, double sqnorm, const State<T>& s, i64 k) {
  if (std::fabs(tau) * (1.0 + sqnorm) < Limits<T>::far && s.norms[k] < Limits<T>::far) return false;
  return !(std::isfinite(tau) && is_finite_along(rows, i, s, k));
}

// Truncate the weights of column k that x_i touches, by the L1 penalty `owed` so far less what was
// applied to each, Q (Tsuruoka, Tsujii and Ananiadou 2009). A weight stops at zero.
template <class Rows, class T>
void truncate(const Rows& rows, i64 i, State<T>& s, i64 k, double owed, double scale, double area) {
  rows.each(i, [&](i64 j, T) {
    T &w = s.W[j * s.P + k], &applied = s.Q[j * s.P + k];
    const double z = double(w);
    if (scale * z > 0.0) w = T(greatest(0.0, z - (owed + double(applied)) / scale));
    else if (scale * z < 0.0) w = T(least(0.0, z + (owed - double(applied)) / scale));
    const double change = double(w) - z;
    applied = T(double(applied) + scale * change);
    if (s.U) s.U[j * s.P + k] += area * change;
  });
}

// Count consecutive right predictions; the weights of the longest run are the pocket's candidate.
template <class T>
__attribute__((noinline)) void count_streak(State<T>& s, bool wrong) {
  if (!wrong) {
    s.run[0] += 1;
    return;
  }
  if (s.run[0] > s.run[1]) {
    s.run[1] = s.run[0];
    for (i64 k = 0; k < s.P; ++k) s.champion_b[k] = s.b[k];
    for (i64 j = 0; j < s.d; ++j)
      for (i64 k = 0; k < s.P; ++k) s.champion_W[j * s.P + k] = T(double(s.W[j * s.P + k]) * s.scale[k]);
  }
  s.run[0] = 0;
}

// Append one step; the capacity suffices.
INLINE void record_step(const LogView& log, i64 slot, i64 column, double tau, i64 t) {
  const i64 n = log.size[0]++;
  log.slot[n] = slot, log.column[n] = column, log.tau[n] = tau, log.t[n] = t;
}

}  // namespace INSTRUCTION_SET
