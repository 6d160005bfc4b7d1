// AdaGrad: weights whose gradients were large move less.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// The hinge by AdaGrad: (η y, 1) where y·score < 1. Duchi, Hazan and Singer 2011. p = {η}.
struct AdaGrad : OfHinge, Weighted<AdaGrad> {
  static constexpr Rates rates = Rates::of_gradients;
  static bool needs_variance(const double*, double, double) { return false; }
  static Pair step(const double* p, double score, double y, double) {
    if (!(y * score < 1.0)) return {0.0, 0.0};
    return {p[0] * y, 1.0};
  }
};

// Logistic regression by AdaGrad: (η y q, q²) with q = 1/(1 + exp(y·score)). p = {η}.
struct AdaGradLogistic : OfLogistic, Weighted<AdaGradLogistic> {
  static constexpr Rates rates = Rates::of_gradients;
  static bool needs_variance(const double*, double, double) { return false; }
  static Pair step(const double* p, double score, double y, double) {
    const double q = chance_of_other(score, y);
    return {p[0] * y * q, q * q};
  }
};

constexpr Rule adagrad_rules[] = {
    confident_rule<AdaGrad>("AdaGrad"),
    confident_rule<AdaGradLogistic>("AdaGradLogistic"),
};

}  // namespace INSTRUCTION_SET
