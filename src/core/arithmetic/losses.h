// Losses of weightwise rules, as theory/losses.py has them.
//
//   loss, gradient   of a score, and the derivative by the score
//   curved           which part of a step infinitely many small ones make up, each with the derivative
//                    where the last one ended, by the change of the score by one whole step

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

struct LogisticLoss : OfLogistic, WeightedGradient<LogisticLoss> {
  static double gradient(const double*, double score, double y, double) {
    return -y * chance_of_other(score, y);
  }
  // q d + (1 − q)(e^d − 1) is the change of a whole step where small ones change the score by d, q
  // the chance of the other label. Newton's steps fall to the root of a convex function; beyond 700
  // e^d overflows.
  static double curved(double score, double y, double change) {
    const double size = y * change, q = chance_of_other(score, y), r = chance_of_other(score, -y);
    if (!(size > 0.0 && q > 0.0 && r > 0.0)) return 1.0;
    double d = least(least(size, std::log1p(size / r)), 700.0);
    for (int i = 0; i < 50; ++i) {
      const double e = std::expm1(d), next = d - (q * d + r * e - size) / (q + r * (e + 1.0));
      if (!(next < d)) break;
      d = next;
    }
    return d / size;
  }
};

struct HingeLoss : OfHinge, WeightedGradient<HingeLoss> {
  static double gradient(const double*, double score, double y, double) {
    return y * score < 1.0 ? -y : 0.0;
  }
  static double curved(double score, double y, double change) {
    const double size = y * change;
    return size > 0.0 ? least((1.0 - y * score) / size, 1.0) : 1.0;
  }
};

// A derivative that is an error falls exponentially: (1 − e^−a)/a with a = change/error.
inline double decayed(double error, double change) {
  const double a = change / error;
  return a > 0.0 ? -std::expm1(-a) / a : 1.0;
}

struct SquaredHingeLoss : WeightedGradient<SquaredHingeLoss> {
  template <class V = double>
  static V loss(const double*, V score, V y) {
    const V hinge = positive_part<V>(1.0 - y * score);
    return 0.5 * (hinge * hinge);
  }
  static double gradient(const double*, double score, double y, double) {
    const double hinge = 1.0 - y * score;
    return hinge > 0.0 ? -y * hinge : 0.0;
  }
  static double curved(double score, double y, double change) {
    return decayed(1.0 - y * score, y * change);
  }
};

struct SquaredLoss : WeightedGradient<SquaredLoss> {
  template <class V = double>
  static V loss(const double*, V score, V y) {
    const V error = y - score;
    return 0.5 * (error * error);
  }
  static double gradient(const double*, double score, double y, double) { return score - y; }
  static double curved(double score, double y, double change) { return decayed(y - score, change); }
};

}  // namespace INSTRUCTION_SET
