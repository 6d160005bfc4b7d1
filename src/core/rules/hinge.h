// The hinge by stochastic subgradient.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y where y·score ≤ 1: the subgradient of the hinge. p = {η}.
struct Hinge : OfHinge {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    return pick(y * score <= 1.0, p[0] * y, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return repeated(step(p, score, y, q), 1.0 - y * score, p[0] * q, weight);
  }
};

constexpr Rule hinge_rules[] = {
    plain_rule<Hinge>("Hinge"),
};

}  // namespace INSTRUCTION_SET
