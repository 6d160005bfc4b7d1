// Normalised adaptive invariant updates: near the default of Vowpal Wabbit.

#pragma once

#include "arithmetic/losses.h"

namespace INSTRUCTION_SET {

// w −= part η g x √(t/N)/(M √Σ (g x)²). Ross, Mineiro and Langford 2013,
// Karampatziakis and Langford 2011. A weight keeps Σ (g x)² and M = max |x|; a vector t, and
// N = Σ (x/M)² over its rows. p = {η}.
struct NAG {
  static constexpr int numbers = 2, counts = 2;
  static constexpr bool takes_parts = true;
  template <class V>
  static INLINE void begin(const double*, V* c) {
    c[0] += 1.0;
  }
  template <class V>
  static INLINE void touch(const double*, V& w, V* s, V* c, V x) {
    const V size = magnitude(x), share = s[1] / size;
    w = pick(size > s[1], w * share, w);
    s[1] = greatest(s[1], size);
    const V unit = x / s[1];
    c[1] += unit * unit;
  }
  template <class V>
  static INLINE void move(const double* p, V& w, V* s, const V* c, V x, V g, V part) {
    const V step = g * x;
    s[0] += step * step;
    const V size = s[1] * root(s[0]), rate = p[0] * root(c[0] / c[1]);
    w -= pick(size > splat<V>(0.0), part * rate * (step / size), splat<V>(0.0));
  }
  template <class L>
  static double part(const double*, double score, double y, double change) {
    return L::curved(score, y, change);
  }
};

constexpr Rule nag_rules[] = {
    weightwise_rule<NAG, LogisticLoss>("NAG"),
    weightwise_rule<NAG, HingeLoss>("NAGHinge"),
    weightwise_rule<NAG, SquaredHingeLoss>("NAGSquaredHinge"),
    weightwise_rule<NAG, SquaredLoss>("NAGSquared"),
};

}  // namespace INSTRUCTION_SET
