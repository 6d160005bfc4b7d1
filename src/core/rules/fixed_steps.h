// Rules whose step has one length, η: the perceptron and its relatives.

#pragma once

#include <cmath>

#include "rules/rule.h"

namespace INSTRUCTION_SET {

// τ = η y on a mistake. Rosenblatt 1958. p = {η, tie}: a score of zero stands for the label `tie`.
struct Perceptron : OfCriterion {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = false,
                        of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    const auto mistake = (y * score < 0.0) | ((score == 0.0) & (p[1] != y));
    return pick(mistake, p[0] * y, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return step(p, score, y, q) * weight;
  }
};

// τ min(weight, n), with n the steps until nothing is missing: each brings y·score up by `size`.
inline double repeated(double tau, double missing, double size, double weight) {
  if (weight > 1.0 && tau != 0.0 && size > 0.0)
    weight = least(weight, 1.0 + std::floor(least(missing / size, weight)));
  return tau * weight;
}

// τ = η y where y·score ≤ β. Krauth and Mézard 1987; Duda and Hart 1973, §5.5. p = {η, β}.
struct MarginPerceptron {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true,
                        of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    return pick(y * score <= p[1], p[0] * y, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return repeated(step(p, score, y, q), p[1] - y * score, p[0] * q, weight);
  }
  template <class V>
  static V loss(const double* p, V score, V y) {
    return positive_part<V>(p[1] - y * score);
  }
};

// τ = η y where y·score ≤ 1: the subgradient of the hinge. p = {η}.
struct Hinge : OfHinge {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true,
                        of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    return pick(y * score <= 1.0, p[0] * y, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return repeated(step(p, score, y, q), 1.0 - y * score, p[0] * q, weight);
  }
};

// τ = η y where y·score < c, of the row that has the least overlap. Krauth and Mézard 1987.
// p = {η, c}.
struct MinOver {
  static double overlap(const double*, double score, double y) { return y * score; }
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = false,
                        of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    return pick(y * score < p[1], p[0] * y, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return step(p, score, y, q) * weight;
  }
  template <class V>
  static V loss(const double* p, V score, V y) {
    return positive_part<V>(p[1] - y * score);
  }
};

}  // namespace INSTRUCTION_SET
