// NormalHerd: a normal distribution of weights, moved towards an example as one herd.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = y ℓ/(v + 1/C), β = C² v + 2C. Crammer and Lee 2010, diagonal in the form "project". p = {C}.
struct NormalHerd : OfHinge {
  static constexpr Rates rates = Rates::of_variance_before;
  static bool needs_variance(const double*, double score, double y) { return y * score < 1.0; }
  static Pair step(const double* p, double score, double y, double variance) {
    const double hinge = 1.0 - y * score;
    if (!(hinge > 0.0)) return {0.0, 0.0};
    return {y * (hinge / (variance + 1.0 / p[0])), p[0] * (p[0] * variance + 2.0)};
  }
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    if (!(weight > 0.0)) return {0.0, 0.0};
    const double C[] = {p[0] * weight};
    return step(C, score, y, v);
  }
};

constexpr Rule normal_herd_rules[] = {
    confident_rule<NormalHerd>("NormalHerd"),
};

}  // namespace INSTRUCTION_SET
