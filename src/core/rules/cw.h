// Confidence-weighted learning in its first form, by the variance of the margin.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// y·score = φ v afterwards. Dredze, Crammer and Pereira 2008, algorithm 1. p = {φ}.
struct CW : OfVariance, Part<CW> {
  static Pair step(const double* p, double score, double y, double variance) {
    const double phi = p[0], margin = y * score;
    const double missing = phi * variance - margin;
    if (missing <= 0.0 || variance <= 0.0) return {0.0, 0.0};
    const double slope = 1.0 + 2.0 * phi * margin, other = 1.0 - 2.0 * phi * margin;
    double root = std::sqrt(other * other + 8.0 * phi * phi * variance), alpha;
    if (root == INFINITE) root = hypotenuse(other, phi * std::sqrt(8.0) * std::sqrt(variance));
    if (slope > 0.0) {  // root − slope would cancel
      const double size = (root + slope) * variance;
      alpha = size < INFINITE ? 2.0 * missing / size : 2.0 * missing / (root + slope);
      alpha = size < INFINITE ? alpha : alpha / variance;
    } else {
      alpha = (root - slope) / (4.0 * phi * variance);
    }
    return {y * alpha, 2.0 * alpha * phi};
  }
};

constexpr Rule cw_rules[] = {
    confident_rule<CW>("CW"),
    confident_rule<CW>("FullCW", Kind::full),
};

}  // namespace INSTRUCTION_SET
