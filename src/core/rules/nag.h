// Normalised adaptive invariant updates: near the default of Vowpal Wabbit.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// w −= part η g x √(t/N)/(M √Σ (g x)²), with the logistic loss. Ross, Mineiro and Langford 2013,
// Karampatziakis and Langford 2011. A weight keeps Σ (g x)² and M = max |x|; a vector t, and
// N = Σ (x/M)² over its rows. p = {η}.
struct NAG : LogisticDerivative, WeightedGradient<NAG> {
  static constexpr int numbers = 2, counts = 2;
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
  // Infinitely many small steps, each with the derivative where the last one ended, change the score
  // by d: q d + (1 − q)(e^d − 1) is the change of one whole step, q the chance of the other label.
  // Newton's steps fall to the root of a convex function; beyond 700 e^d overflows.
  static double part(const double*, double score, double y, double change) {
    const double size = y * change, q = chance_of_other(score, y), r = chance_of_other(score, -y);
    if (!(size > 0.0 && q > 0.0 && r > 0.0)) return 1.0;
    double d = least(least(size, std::log1p(size / r)), 700.0);
    for (int i = 0; i < 50; ++i) {
      const double e = std::expm1(d), next = d - (q * d + r * e - size) / (q + r * (e + 1.0));
      if (!(next < d)) break;
      d = next;
    }
    return d / size;
  }
};

constexpr Rule nag_rules[] = {
    weightwise_rule<NAG>("NAG"),
};

}  // namespace INSTRUCTION_SET
