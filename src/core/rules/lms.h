// Least squares by stochastic gradient: LMS, and its normalised form.

#pragma once

#include <cmath>
#include <limits>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// Of LMS and NormalizedLMS: ½ (y − score)².
struct OfSquares {
  template <class V>
  static V loss(const double*, V score, V y) {
    return 0.5 * (y - score) * (y - score);
  }
};

// τ = η (y − score). Widrow and Hoff 1960. p = {η}.
struct LMS : OfSquares {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    return p[0] * (y - score);
  }
  // (y − score)(1 − (1 − η‖x‖²)^weight)/‖x‖²; where a step overshoots, whole steps and a part.
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    const double part = p[0] * q;
    const bool finite = 0.0 < part && part < std::numeric_limits<double>::infinity();
    if (weight <= 0.0 || !finite) return step(p, score, y, q) * weight;
    if (part < 1.0) {
      const double closed = -std::expm1(weight * std::log1p(-part));
      return (y - score) / q * closed;
    }
    const double steps = 1.0 * std::floor(weight);
    double kept = steps == 0.0 ? 1.0 : 0.0;
    if (steps > 0.0 && part > 1.0) {
      const double sign = std::fmod(steps, 2.0) == 0.0 ? 1.0 : -1.0;
      // e^700 is near the largest number.
      kept = sign * std::exp(least(steps * std::log(part - 1.0), 700.0));
    }
    return (y - score) / q * (1.0 - kept * (1.0 - (weight - steps) * part));
  }
};

// τ = μ (y − score)/(ε + ‖x‖²). Nagumo and Noda 1967. p = {μ, ε}.
struct NormalizedLMS : OfSquares {
  static constexpr bool reads_sqnorm = true, weighted_reads_sqnorm = true, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V sqnorm) {
    const V size = p[1] + sqnorm;
    return pick(size > 0.0, p[0] * (y - score) / size, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    const double size = p[1] + q, eta[] = {p[0] / size};
    return size > 0.0 ? LMS::weighted_step(eta, score, y, q, weight) : 0.0;
  }
};

constexpr Rule lms_rules[] = {
    plain_rule<LMS>("LMS"),
    plain_rule<NormalizedLMS>("NormalizedLMS"),
};

}  // namespace INSTRUCTION_SET
