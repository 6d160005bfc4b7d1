// ScInOL 2: a scale-invariant rule without a rate to choose.

#pragma once

#include "arithmetic/losses.h"

namespace INSTRUCTION_SET {

// w = sgn(θ) min(|θ|/r, 1) η/(2r), r² = Σ (g x)² + max x². Kempka, Kotłowski
// and Warmuth 2019, algorithm 2. A weight keeps θ, Σ (g x)², max |x| and η.
struct ScInOL {
  static constexpr int numbers = 4;
  template <class V>
  static INLINE void touch(const double*, V& w, V* s, V x) {
    s[2] = greatest(s[2], magnitude(x));
    w = weight(s);
  }
  template <class V>
  static INLINE void move(const double*, V& w, V* s, V x, V g) {
    const V step = g * x;
    s[0] -= step;
    s[1] += step * step;
    s[3] = greatest(s[3] - step * w, 0.5 * s[3]);
    w = weight(s);
  }
  template <class V>
  static INLINE V weight(const V* s) {
    const V r = root(s[1] + s[2] * s[2]), one = splat<V>(1.0);
    const V share = greatest(least(s[0] / r, one), -one);
    return pick(r > splat<V>(0.0), share * (s[3] / (2.0 * r)), splat<V>(0.0));
  }
};

constexpr Rule scinol_rules[] = {
    weightwise_rule<ScInOL, LogisticLoss>("ScInOL"),
    weightwise_rule<ScInOL, HingeLoss>("ScInOLHinge"),
    weightwise_rule<ScInOL, SquaredHingeLoss>("ScInOLSquaredHinge"),
    weightwise_rule<ScInOL, SquaredLoss>("ScInOLSquared"),
};

}  // namespace INSTRUCTION_SET
