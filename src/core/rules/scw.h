// Confidence-weighted learning by the standard deviation of the margin, and its soft forms.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// (y α, αφ/√u) with √u = (−αvφ + √(α²v²φ² + 4v))/2, computed where nothing cancels.
inline Pair moved(double alpha, double phi, double y, double variance) {
  const double shift = alpha * variance * phi;
  double root = std::sqrt(shift * shift + 4.0 * variance);
  if (root == INFINITE) root = hypotenuse(shift, 2.0 * std::sqrt(variance));
  return {y * alpha, alpha * phi * 0.5 * (root + shift) / variance};
}

// y·score = φ √v afterwards, with a step of at most C. Wang, Zhao and Hoi 2012, proposition 1.
// p = {C, φ}.
struct SCW1 : OfVariance {
  static Pair step(const double* p, double score, double y, double variance) {
    const double phi = p[1], margin = y * score;
    if (variance <= 0.0 || phi * std::sqrt(variance) <= margin) return {0.0, 0.0};
    const double psi = 1.0 + 0.5 * phi * phi, zeta = 1.0 + phi * phi;
    const double quarter = 0.25 * margin * margin * phi * phi * phi * phi;
    double root = std::sqrt(quarter + variance * phi * phi * zeta);
    if (root == INFINITE)
      root = phi * hypotenuse(0.5 * margin * phi, std::sqrt(variance) * std::sqrt(zeta));
    const double alpha = least(p[0], (root - margin * psi) / (variance * zeta));
    if (alpha <= 0.0) return {0.0, 0.0};
    return moved(alpha, phi, y, variance);
  }
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    if (weight <= 0.0) return {0.0, 0.0};
    const double larger[] = {weight * p[0], p[1]};
    return step(larger, score, y, v);
  }
};

// SCW1 without a bound. Crammer, Dredze and Pereira 2008. p = {φ}.
struct CWStdev : OfVariance, Part<CWStdev> {
  static Pair step(const double* p, double score, double y, double variance) {
    const double unbounded[] = {INFINITE, p[0]};
    return SCW1::step(unbounded, score, y, variance);
  }
};

// SCW with a squared slack. Wang, Zhao and Hoi 2012, proposition 2. p = {C, φ}.
struct SCW2 : OfVariance {
  static Pair step(const double* p, double score, double y, double variance) {
    const double phi = p[1], margin = y * score;
    if (variance <= 0.0 || phi * std::sqrt(variance) <= margin) return {0.0, 0.0};
    const double square = phi * phi, n = variance + 0.5 / p[0];
    const double first = margin * (2.0 * n + square * variance);
    const double inside = square * margin * margin * variance * variance;
    double root = phi * std::sqrt(inside + 4.0 * n * variance * (n + variance * square));
    double size = 2.0 * (n * n + n * variance * square), alpha;
    if (root < INFINITE && size > 0.0) {
      alpha = (root - first) / size;
    } else {  // both divided by n
      const double share = variance / n;
      size = 2.0 * n * (1.0 + share * square);
      const double other = 2.0 * std::sqrt(variance * (1.0 + share * square));
      root = phi * hypotenuse(phi * margin * share, other);
      alpha = (root - margin * (2.0 + square * share)) / size;
    }
    if (alpha <= 0.0) return {0.0, 0.0};
    return moved(alpha, phi, y, variance);
  }
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    if (weight <= 0.0) return {0.0, 0.0};
    const double larger[] = {weight * p[0], p[1]};
    return step(larger, score, y, v);
  }
};

constexpr Rule scw_rules[] = {
    confident_rule<SCW1>("SCW1"),       confident_rule<SCW1>("FullSCW1", Kind::full),
    confident_rule<SCW2>("SCW2"),       confident_rule<SCW2>("FullSCW2", Kind::full),
    confident_rule<CWStdev>("CWStdev"), confident_rule<CWStdev>("FullCWStdev", Kind::full),
};

}  // namespace INSTRUCTION_SET
