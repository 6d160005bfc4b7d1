// Winnow: weights that are multiplied.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// On a mistake a ← a + η y x, w = (eᵃ − e⁻ᵃ)/2 = sinh(a). Littlestone 1988, balanced. p = {η, tie}.
struct Winnow : OfCriterion, WeightedGradient<Winnow> {
  static constexpr int numbers = 1;
  static double gradient(const double* p, double score, double y, double) {
    return y * score < 0.0 || (score == 0.0 && p[1] != y) ? -y : 0.0;
  }
  template <class V>
  static INLINE void move(const double* p, V& w, V* s, V x, V g) {
    s[0] = clipped(s[0] - p[0] * g * x, 40.0);
    w = each_lane(s[0], [](double log) { return std::sinh(log); });
  }
};

constexpr Rule winnow_rules[] = {
    weightwise_rule<Winnow>("Winnow"),
};

}  // namespace INSTRUCTION_SET
