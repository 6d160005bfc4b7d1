// ScInOL 1: a scale-invariant rule without a rate, whose weights are exponential.

#pragma once

#include "arithmetic/losses.h"

namespace INSTRUCTION_SET {

// w = sgn(θ) β (e^(|θ|/2r) − 1)/(2r), r² = Σ (g x)² + max x². Kempka, Kotłowski
// and Warmuth 2019, algorithm 1. A weight keeps θ, Σ (g x)², max |x| and β; a vector its rows.
struct ScInOL1 {
  static constexpr int numbers = 4, counts = 1;
  template <class V>
  static INLINE void begin(const double*, V* c) {
    c[0] += 1.0;
  }
  template <class V>
  static INLINE void touch(const double*, V& w, V* s, V* c, V x) {
    s[2] = greatest(s[2], magnitude(x));
    const V share = root(s[1] + s[2] * s[2]) / magnitude(x);
    s[3] = least(s[3], share * share / c[0]);
    w = weight(s);
  }
  template <class V>
  static INLINE void move(const double*, V& w, V* s, const V*, V x, V g) {
    const V step = g * x;
    s[0] -= step;
    s[1] += step * step;
    w = weight(s);
  }
  template <class V>
  static INLINE V weight(const V* s) {
    const V r = root(s[1] + s[2] * s[2]), zero = splat<V>(0.0);
    const V theta = s[0] / r, half = least(magnitude(theta) * 0.5, splat<V>(300.0));
    const V size = s[3] / (2.0 * r) * each_lane(half, [](double x) { return std::expm1(x); });
    return pick(r > zero, pick(theta < zero, -size, size), zero);
  }
};

constexpr Rule scinol1_rules[] = {
    weightwise_rule<ScInOL1, LogisticLoss>("ScInOL1"),
    weightwise_rule<ScInOL1, HingeLoss>("ScInOL1Hinge"),
    weightwise_rule<ScInOL1, SquaredHingeLoss>("ScInOL1SquaredHinge"),
    weightwise_rule<ScInOL1, SquaredLoss>("ScInOL1Squared"),
};

}  // namespace INSTRUCTION_SET
