// Logistic regression by stochastic gradient.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y/(1 + exp(y·score)): the gradient of log(1 + exp(−y·score)). p = {η}.
struct Logistic : OfLogistic {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true, of_lanes = false;
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
};

constexpr Rule logistic_rules[] = {
    plain_rule<Logistic>("Logistic"),
};

}  // namespace INSTRUCTION_SET
