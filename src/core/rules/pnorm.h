// The p-norm perceptron: sums of rows, and weights that are powers of them.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// On a mistake θ ← θ + y x, w = sgn(θ) |θ|^(p − 1). Grove, Littlestone and Schuurmans 2001. p = {p, tie}.
struct PNorm : OfCriterion, WeightedGradient<PNorm> {
  static constexpr int numbers = 1;
  static double gradient(const double* p, double score, double y, double) {
    return y * score < 0.0 || (score == 0.0 && p[1] != y) ? -y : 0.0;
  }
  template <class V>
  static INLINE void move(const double* p, V& w, V* s, V x, V g) {
    s[0] -= g * x;
    const double power = p[0] - 1.0;
    const V size = each_lane(magnitude(s[0]), [&](double sum) { return std::pow(sum, power); });
    w = pick(s[0] < splat<V>(0.0), -size, size);
  }
};

constexpr Rule pnorm_rules[] = {
    weightwise_rule<PNorm>("PNorm"),
};

}  // namespace INSTRUCTION_SET
