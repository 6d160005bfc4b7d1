// Rules with a confidence for each weight: AROW, AdaGrad, the second-order perceptron.
//
// c_j ← c_j + β x_j², then w_j ← shrinkage w_j + τ x_j s(c_j). The rates s are in rules/rates.h.

#pragma once

#include <cmath>

#include "rules/regression.h"
#include "rules/rule.h"

namespace INSTRUCTION_SET {

// Both numbers times the weight.
template <class R>
struct Weighted {
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    const Pair move = R::step(p, score, y, v);
    return {move.first * weight, move.second * weight};
  }
};

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
struct AdaGradLogistic : Weighted<AdaGradLogistic> {
  static constexpr Rates rates = Rates::of_gradients;
  static bool needs_variance(const double*, double, double) { return false; }
  static Pair step(const double* p, double score, double y, double) {
    const double z = y * score;
    double q;
    if (z > 0.0) {
      const double small = std::exp(-z);
      q = small / (1.0 + small);
    } else {
      q = 1.0 / (1.0 + std::exp(z));
    }
    return {p[0] * y * q, q * q};
  }
  template <class V = double>
  static double loss(const double*, double score, double y) {
    return logistic_loss(y * score);
  }
};

// v ← v + y x on a mistake, w = v/(a + c). Cesa-Bianchi, Conconi and Gentile 2005. p = {a}.
struct SOP : OfCriterion, Weighted<SOP> {
  static constexpr Rates rates = Rates::of_sum;
  static double regularisation(const double* p) { return p[0]; }
  static bool needs_variance(const double*, double, double) { return false; }
  static Pair step(const double*, double score, double y, double) {
    if (!(y * score <= 0.0)) return {0.0, 0.0};
    return {y, 1.0};
  }
};

// As SOP where y·score < max(1, bχ), with β = max(0, b − 1/χ). Orabona and Crammer 2010. p = {b}.
struct NAROW : OfHinge, Weighted<NAROW> {
  static constexpr Rates rates = Rates::of_sum;
  static double regularisation(const double*) { return 1.0; }
  static bool needs_variance(const double*, double, double) { return true; }
  static Pair step(const double* p, double score, double y, double variance) {
    const double grown = greatest(1.0, p[0] * variance);
    if (y * score >= grown) return {0.0, 0.0};
    return {y, grown > 1.0 ? (grown - 1.0) / variance : 0.0};
  }
};

}  // namespace INSTRUCTION_SET
