// Relaxation: steps towards the half-space in which an example is right.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y (β − y·score)/‖x‖² where y·score < β. Agmon 1954; Motzkin and Schoenberg 1954.
// p = {η, β}.
struct Relaxation {
  static constexpr bool reads_sqnorm = true, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V sqnorm) {
    const V shortfall = p[1] - y * score;
    return pick((shortfall > 0.0) & (sqnorm > 0.0), p[0] * y * shortfall / sqnorm, splat<V>(0.0));
  }
  // The part 1 − (1 − η)^weight of the shortfall.
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    if (p[0] >= 1.0 || weight <= 0.0) return step(p, score, y, q) * least(weight, 1.0);
    const double closed = -std::expm1(weight * std::log1p(-p[0]));
    const double shortfall = p[1] - y * score;
    return shortfall > 0.0 && q > 0.0 ? y * shortfall / q * closed : 0.0;
  }
  template <class V>
  static V loss(const double* p, V score, V y) {
    return positive_part<V>(p[1] - y * score);
  }
};

constexpr Rule relaxation_rules[] = {
    plain_rule<Relaxation>("Relaxation"),
};

}  // namespace INSTRUCTION_SET
