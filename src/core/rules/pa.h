// Passive-Aggressive: the smallest step after which an example is right with margin 1.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = y ℓ/‖x‖² with the hinge ℓ = max(0, 1 − y·score). Crammer et al. 2006, figure 1.
struct PA : OfHinge {
  static constexpr bool reads_sqnorm = true, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double*, V score, V y, V sqnorm) {
    const V hinge = 1.0 - y * score;
    return pick((hinge > 0.0) & (sqnorm > 0.0), y * (hinge / sqnorm), splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return step(p, score, y, q) * least(weight, 1.0);
  }
};

// PA-I: τ = y min(C, ℓ/‖x‖²). Crammer et al. 2006, figure 1. p = {C}.
struct PA1 : OfHinge {
  static constexpr bool reads_sqnorm = true, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V sqnorm) {
    const V hinge = 1.0 - y * score;
    const V bounded = least<V>(splat<V>(p[0]), hinge / sqnorm);
    return pick((hinge > 0.0) & (sqnorm > 0.0), y * bounded, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    if (weight <= 0.0) return step(p, score, y, q) * weight;
    const double larger[] = {weight * p[0]};
    return step(larger, score, y, q);
  }
};

// PA-II: τ = y ℓ/(‖x‖² + 1/(2C)). Crammer et al. 2006, figure 1. p = {C}.
struct PA2 : OfHinge {
  static constexpr bool reads_sqnorm = true, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V sqnorm) {
    const V hinge = 1.0 - y * score;
    return pick(hinge > 0.0, y * (hinge / (sqnorm + 0.5 / p[0])), splat<V>(0.0));
  }
  // y ℓ (1 − (1 + 2C‖x‖²)^−weight)/‖x‖²: the example learned so many times.
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    const double size = 2.0 * p[0] * q;
    if (weight <= 0.0 || size <= 0.0) return step(p, score, y, q) * weight;
    const double hinge = 1.0 - y * score, closed = -std::expm1(-weight * std::log1p(size));
    return hinge > 0.0 ? y * (hinge / q * closed) : 0.0;
  }
};

constexpr Rule pa_rules[] = {
    plain_rule<PA>("PA"),
    plain_rule<PA1>("PA1"),
    plain_rule<PA2>("PA2"),
};

}  // namespace INSTRUCTION_SET
