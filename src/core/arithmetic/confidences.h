// Weights with confidences: the variance of a score, and their moves, with limits so that nothing
// leaves the float range. Where no limit is met, the bits are those of the formulas.
//
// On data that cannot be separated, confidence-weighted rules multiply the sums c_j at every
// contradiction, without end: a variance 1/(1 + c_j) would fall to zero, and the next example would
// divide by it. So the sums have a ceiling, which is a floor of the variances, and the steps have one.

#pragma once

#include "arithmetic/rates.h"
#include "arithmetic/weightwise.h"

namespace INSTRUCTION_SET {

constexpr double LARGEST_SUM = 1e300;  // of c_j: the square of 1e150 still counts

// f(rates) with the rates of a rule: their formulas are inlined where they are used once a feature.
template <class F>
INLINE auto with_rates(const Rule& rule, const double* p, F f) {
  if (rule.rates == Rates::of_variance_before) return f(VarianceBefore(0.0));
  if (rule.rates == Rates::of_gradients) return f(Gradients(0.0));
  if (rule.rates == Rates::called) return f(Called{rule, p});
  return f(Sum(rule.regularisation(p)));
}

// Σ x_j² s(C[j, k]), with the intercept's share.
template <class Rows, class T>
double variance_of_score(const Rule& rule, const double* p, const Rows& rows, i64 i, const State<T>& s,
                         i64 k, bool intercept) {
  return with_rates(rule, p, [&](auto rates) {
    double total = 0.0;
    rows.each(i, [&](i64 j, T x) {
      const double c = s.C[j * s.P + k];
      total += double(x) * double(x) * rates.rate(c, c);
    });
    return intercept ? total + rates.rate(s.cb[k], s.cb[k]) : total;
  });
}

// Move column k along x_i by the rates of its weights; returns the step of the intercept b.
template <class Rows, class T>
double move_by_rates(const Rule& rule, const double* p, const Rows& rows, i64 i, State<T>& s, i64 k,
                     double tau, double beta, double b, double area, bool intercept) {
  constexpr double largest = Limits<T>::largest_move;
  return with_rates(rule, p, [&](auto rates) {
    rows.each(i, [&](i64 j, T value) {
      const double x = double(value), w = double(s.W[j * s.P + k]), before = s.C[j * s.P + k];
      const double after = least(before + beta * x * x, LARGEST_SUM);
      s.C[j * s.P + k] = after;
      const double move =
          (rates.shrinkage(before, after) - 1.0) * w + tau * x * rates.rate(before, after);
      const double step = clipped(move, largest);
      s.W[j * s.P + k] = T(w + step);
      if (s.U) s.U[j * s.P + k] += area * step;
    });
    if (!intercept) return 0.0;
    const double before = s.cb[k], after = least(before + beta, LARGEST_SUM);
    s.cb[k] = after;
    const double step = (rates.shrinkage(before, after) - 1.0) * b + tau * rates.rate(before, after);
    return clipped(step, largest);
  });
}

}  // namespace INSTRUCTION_SET
