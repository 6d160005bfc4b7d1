// Rules for real targets, and logistic regression.

#pragma once

#include <cmath>
#include <limits>

#include "rules/rule.h"

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
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true,
                        of_lanes = true;
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
  static constexpr bool reads_sqnorm = true, weighted_reads_sqnorm = true,
                        of_lanes = true;
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

// log(1 + e^−z), without overflow.
inline double logistic_loss(double z) {
  return z > 0.0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
}

// τ = η y/(1 + exp(y·score)): the gradient of log(1 + exp(−y·score)). p = {η}.
struct Logistic {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true,
                        of_lanes = false;
  template <class V = double>
  static double step(const double* p, double score, double y, double) {
    const double z = y * score;
    if (z > 0.0) {
      const double small = std::exp(-z);
      return p[0] * y * small / (1.0 + small);
    }
    return p[0] * y / (1.0 + std::exp(z));
  }
  // The example learned so many times: a thousand whole steps at most, and the rest as one of
  // infinitely many small ones, z + e^z growing by η‖x‖² each (Karampatziakis and Langford 2011).
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    double tau = 0.0, left = weight;
    while (left > 1.0 && left > weight - 1000.0) {
      tau += step(p, score + tau * q, y, q);
      left -= 1.0;
    }
    const double z = y * (score + tau * q);
    if (left <= 1.0 || q <= 0.0 || z > 700.0) return tau + left * step(p, y * z, y, q);
    const double total = z + std::exp(z) + p[0] * q * left;
    double end = total > 1.0 ? std::log(total) : total;
    for (int i = 0; i < 50; ++i)  // Newton's steps fall to the root of a convex function
      end -= (end + std::exp(end) - total) / (1.0 + std::exp(end));
    return tau + y * (end - z) / q;
  }
  template <class V = double>
  static double loss(const double*, double score, double y) {
    return logistic_loss(y * score);
  }
};

}  // namespace INSTRUCTION_SET
