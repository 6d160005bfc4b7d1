// MinOver, which learns the row with the least overlap.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y where y·score < c, of the row that has the least overlap. Krauth and Mézard 1987.
// p = {η, c}.
struct MinOver {
  static double overlap(const double*, double score, double y) { return y * score; }
  static constexpr bool reads_sqnorm = false, weighted_reads_sqnorm = false, of_lanes = true;
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

constexpr Rule minover_rules[] = {
    plain_rule<MinOver>("MinOver"),
};

}  // namespace INSTRUCTION_SET
