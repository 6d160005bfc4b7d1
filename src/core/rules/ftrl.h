// FTRL-Proximal: logistic regression whose weights are 0 unless their gradients add up.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// w = 0 where |z| ≤ l1, else (sgn(z) l1 − z)/((β + √n)/α + l2). McMahan et al. 2013, algorithm 1. A
// weight keeps z = Σ (g x − σ w), σ = Δ√n/α, and n = Σ (g x)². p = {α, β, l1, l2}.
struct FTRL : OfLogistic, WeightedGradient<FTRL> {
  static constexpr int numbers = 2;
  static double gradient(const double*, double score, double y, double) {
    return -y * chance_of_other(score, y);
  }
  template <class V>
  static INLINE void move(const double* p, V& w, V* s, V x, V g) {
    const V step = g * x, before = root(s[1]), zero = splat<V>(0.0), l1 = splat<V>(p[2]);
    s[1] += step * step;
    const V after = root(s[1]);
    s[0] += step - (after - before) / p[0] * w;
    const V weight = (pick(s[0] > zero, l1, -l1) - s[0]) / ((p[1] + after) / p[0] + p[3]);
    w = pick(magnitude(s[0]) > l1, weight, zero);
  }
};

constexpr Rule ftrl_rules[] = {
    weightwise_rule<FTRL>("FTRL"),
};

}  // namespace INSTRUCTION_SET
