// The perceptron that asks for a margin.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y where y·score ≤ β. Krauth and Mézard 1987; Duda and Hart 1973, §5.5. p = {η, β}.
struct MarginPerceptron {
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = true, of_lanes = true;
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

constexpr Rule margin_rules[] = {
    plain_rule<MarginPerceptron>("MarginPerceptron"),
};

}  // namespace INSTRUCTION_SET
