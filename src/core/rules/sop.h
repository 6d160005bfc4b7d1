// The second-order perceptron and NAROW: a sum of rows, divided by the confidences.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

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

constexpr Rule sop_rules[] = {
    confident_rule<SOP>("SOP"),
    confident_rule<NAROW>("NAROW"),
};

}  // namespace INSTRUCTION_SET
