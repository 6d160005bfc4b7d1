// The calibration of scores: p = 1/(1 + exp(−(a s/r + b))), of several classes the softmax, by
// progressive scores. theory/calibration.py has the formulas.

#pragma once

#include "arithmetic/rule.h"
#include "arithmetic/stepper.h"
#include "arithmetic/weightwise.h"

namespace INSTRUCTION_SET {

// Those of theory/calibration.py.
constexpr i64 FIRST_ROWS = 4096, EVERY = 16, LARGEST_COUNT = 4096;
constexpr double PRIOR = 0.1, PRIOR_SLOPE = 1.0;

// Whether an example is used that has this weight, t examples after the first.
INLINE bool is_used(i64 t, double weight) { return (t < FIRST_ROWS || t % EVERY == 0) && weight > 0.0; }

// Learn the scores of an example before it is learned; of two classes, K = 1 and label 1 or 0.
// z, u and p are for K numbers each.
inline void calibrate(const CalibrationView& c, const double* scores, i64 K, i64 label, double* z,
                      double* u, double* p) {
  const double prior = PRIOR * 5.0 / (double(c.count[0]) + 4.0);
  const i64 count = c.count[0] < LARGEST_COUNT ? c.count[0] + 1 : LARGEST_COUNT;
  const double share = 5.0 / (double(count) + 4.0);
  c.count[0] = count;
  double top = 0.0, total = 0.0;
  for (i64 k = 0; k < K; ++k) {
    const double score = defined(scores[k]);
    c.size[k] += share * (std::fabs(score) - c.size[k]);
    u[k] = c.size[k] > 0.0 ? score / c.size[k] : 0.0;
    const double A = c.aa[k] + prior, B = c.ab[k], C = c.bb[k] + prior;
    const double g = c.a[k] + prior * PRIOR_SLOPE, h = c.b[k], det = A * C - B * B;
    const double slope = (C * g - B * h) / det, offset = (A * h - B * g) / det;
    z[k] = slope * u[k] + offset;
    if (k == 0 || z[k] > top) top = z[k];
  }
  if (K > 1)
    for (i64 k = 0; k < K; ++k) total += p[k] = std::exp(z[k] - top);
  for (i64 k = 0; k < K; ++k) {
    const double y = K > 1 ? double(k == label) : double(label);
    const double residual = y - (K > 1 ? p[k] / total : OfLogistic::chance_of_other(z[k], -1.0));
    const double size = std::fabs(residual);
    const double curvature = size * greatest(size, 1.0 - size);
    const double target = curvature * z[k] + residual;
    c.aa[k] += share * (curvature * u[k] * u[k] - c.aa[k]);
    c.ab[k] += share * (curvature * u[k] - c.ab[k]);
    c.bb[k] += share * (curvature - c.bb[k]);
    c.a[k] += share * (target * u[k] - c.a[k]);
    c.b[k] += share * (target - c.b[k]);
  }
}

// The same from the rows of a linear loop.
template <class Rows>
struct Calibration {
  using T = typename Rows::Value;
  const Rows& rows;
  const State<T>& s;
  const Spec& spec;
  const Work& work;

  // Learn the score of row i, of two classes; the numbers are those of the loop.
  __attribute__((noinline)) void learn_binary(i64 i, double label, double score, double dot, double area,
                                              double b, double t) const {
    if (spec.calibrates_average && t > 0.0)
      score = (area * dot - rows.dot(i, s.U)) / t + b - s.ub[0] / t;
    calibrate(s.calibration, &score, 1, i64(label > 0.0), work.logits, work.sizes, work.shares);
  }

  // The same of K classes.
  __attribute__((noinline)) void learn_multi(i64 i, i64 label, const double* scores, const double* dots,
                                             int vectors) const {
    const double t = double(s.t[0]);
    if (spec.calibrates_average && t > 0.0) {
      double* averages = work.averages;
      score_rows(rows, &i, 0, 1, s.U, s.P, vectors, averages);
      for (i64 k = 0; k < spec.K; ++k)
        averages[k] = (s.area[k] * dots[k] - averages[k]) / t + s.b[k] - s.ub[k] / t;
      scores = averages;
    }
    calibrate(s.calibration, scores, spec.K, label, work.logits, work.sizes, work.shares);
  }
};

}  // namespace INSTRUCTION_SET
