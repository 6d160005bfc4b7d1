// The coordinate-wise bettor of Krichevsky and Trofimov: a scale-free rule without a rate.

#pragma once

#include "arithmetic/losses.h"

namespace INSTRUCTION_SET {

// w = (1 + R) θ/(M (M + A)). Orabona and Pál 2016, algorithm 1. A weight keeps
// θ = −Σ g x, A = Σ |g x|, R = −Σ g x w and M = max |x|, or |g x| of a large weight.
struct KT {
  static constexpr int numbers = 4;
  template <class V>
  static INLINE void touch(const double*, V& w, V* s, V x) {
    s[3] = greatest(s[3], magnitude(x));
    w = weight(s);
  }
  template <class V>
  static INLINE void move(const double*, V& w, V* s, V x, V g) {
    const V step = g * x;
    const V kept = (1.0 + s[2]) * (s[3] / (s[3] + s[1]));
    s[2] = greatest(s[2] - step * w, kept - 1.0);
    s[0] -= step;
    s[1] += magnitude(step);
    s[3] = greatest(s[3], magnitude(step));
    w = weight(s);
  }
  template <class V>
  static INLINE V weight(const V* s) {
    const V zero = splat<V>(0.0);
    return pick(s[3] > zero, s[0] / (s[3] + s[1]) * ((1.0 + s[2]) / s[3]), zero);
  }
};

constexpr Rule kt_rules[] = {
    weightwise_rule<KT, LogisticLoss>("KT"),
    weightwise_rule<KT, HingeLoss>("KTHinge"),
    weightwise_rule<KT, SquaredHingeLoss>("KTSquaredHinge"),
    weightwise_rule<KT, SquaredLoss>("KTSquared"),
};

}  // namespace INSTRUCTION_SET
