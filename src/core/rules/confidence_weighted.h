// Confidence-weighted rules: the smallest change after which an example is right with confidence.

#pragma once

#include <cmath>
#include <limits>

#include "rules/rule.h"

namespace INSTRUCTION_SET {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// √(a² + b²) where the squares leave the range. CPython's and libm's may differ in the last bit;
// the library's engine has always had libm's.
inline double hypotenuse(double a, double b) { return std::hypot(a, b); }

// The step, of a weight below 1 that part: a second step would find nothing to do.
template <class R>
struct Part {
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    const Pair move = R::step(p, score, y, v);
    const double part = least(weight, 1.0);
    return {move.first * part, move.second * part};
  }
};

struct OfVariance : OfHinge {
  static constexpr Rates rates = Rates::of_variance_before;
  static bool needs_variance(const double*, double, double) { return true; }
};

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

}  // namespace INSTRUCTION_SET
