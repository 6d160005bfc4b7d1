// ALMA: the approximate maximal margin.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// ALMA₂ of rows divided by their norms, w in the unit ball. Gentile 2001, figure 1. p = {C, α}.
struct ALMA : OfCriterion {
  static Pair rescale(const double* p, double score, double y, const Seen& seen) {
    const double root = std::sqrt(double(seen.updates) + 1.0), norm = std::sqrt(seen.sqnorm);
    if (norm <= 0.0 || y * score > (1.0 - p[1]) / p[1] / root * norm) return {1.0, 0.0};
    const double tau = p[0] * y / (root * norm);
    const double after = seen.wsqnorm + 2.0 * tau * score + tau * (tau * seen.sqnorm);
    const double factor = after > 1.0 ? 1.0 / std::sqrt(after) : 1.0;
    return {factor, factor * tau};
  }
  static Pair weighted_rescale(const double* p, double score, double y, const Seen& seen,
                               double weight) {
    if (weight <= 0.0) return {1.0, 0.0};
    const double larger[] = {weight * p[0], p[1]};
    return rescale(larger, score, y, seen);
  }
};

constexpr Rule alma_rules[] = {
    rescaling_rule<ALMA>("ALMA"),
};

}  // namespace INSTRUCTION_SET
