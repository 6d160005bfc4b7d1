// The perceptron: a step of one length, η, at mistakes.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y on a mistake. Rosenblatt 1958. p = {η, tie}: a score of zero stands for the label `tie`.
struct Perceptron : OfCriterion {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = false, of_lanes = true;
  template <class V>
  static V step(const double* p, V score, V y, V) {
    const auto mistake = (y * score < 0.0) | ((score == 0.0) & (p[1] != y));
    return pick(mistake, p[0] * y, splat<V>(0.0));
  }
  static double weighted_step(const double* p, double score, double y, double q, double weight) {
    return step(p, score, y, q) * weight;
  }
};

constexpr Rule perceptron_rules[] = {
    plain_rule<Perceptron>("Perceptron"),
};

}  // namespace INSTRUCTION_SET
