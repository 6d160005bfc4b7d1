// AROW, with a diagonal covariance and a full one.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = y ℓ/(v + r), β = 1/r. Crammer, Kulesza and Dredze 2009, figure 1. p = {r}.
struct AROW : OfHinge {
  static constexpr Rates rates = Rates::of_variance_before;
  static bool needs_variance(const double*, double score, double y) { return y * score < 1.0; }
  static Pair step(const double* p, double score, double y, double variance) {
    const double hinge = 1.0 - y * score;
    if (!(hinge > 0.0)) return {0.0, 0.0};
    return {y * (hinge / (variance + p[0])), 1.0 / p[0]};
  }
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    if (!(weight > 0.0)) return {0.0, 0.0};
    const double r[] = {p[0] / weight};
    return step(r, score, y, v);
  }
};

constexpr Rule arow_rules[] = {
    confident_rule<AROW>("AROW"),
    confident_rule<AROW>("FullAROW", Kind::full),
};

}  // namespace INSTRUCTION_SET
