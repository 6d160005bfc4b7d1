// Coin betting in continuous time on truncated losses, for each weight.

#pragma once

#include "arithmetic/losses.h"

namespace INSTRUCTION_SET {

// w = W θ/(M² + S). Chen, Langford and Orabona 2022. A weight keeps
// θ = −Σ h g x, S = Σ h (g x)², its wealth W and M = max |x|, with h the part of a step.
struct Coin {
  static constexpr int numbers = 4;
  static constexpr bool takes_parts = true;
  template <class V>
  static INLINE void touch(const double*, V& w, V* s, V x) {
    s[3] = greatest(s[3], magnitude(x));
    w = weight(s);
  }
  template <class V>
  static INLINE void move(const double*, V& w, V* s, V x, V g, V part) {
    const V step = g * x, square = step * step, H = s[3] * s[3] + s[1], zero = splat<V>(0.0);
    const V growth = pick(H > zero, square / H, zero), lean = pick(H > zero, step / H * s[0], zero);
    const V grown = each_lane(part * growth, [](double x) { return std::log1p(x); });
    const V time = pick(growth > zero, grown / growth, part);
    const V power = least(part - (1.0 + lean) * time, splat<V>(700.0));  // e^710 overflows
    s[2] *= each_lane(power, [](double x) { return std::exp(x); });
    s[0] -= part * step;
    s[1] += part * square;
    w = weight(s);
  }
  template <class V>
  static INLINE V weight(const V* s) {
    const V H = s[3] * s[3] + s[1], zero = splat<V>(0.0);
    return pick(H > zero, s[0] / H * s[2], zero);
  }
  // Until the line through the loss, with its slope, is at zero.
  template <class L>
  static double part(const double* p, double score, double y, double change) {
    const double g = L::gradient(p, score, y, 0.0), size = g > 0.0 ? -change : change;
    if (!(size > 0.0 && g != 0.0)) return 1.0;
    return least(L::loss(p, score, y) / magnitude(g) / size, 1.0);
  }
};

constexpr Rule coin_rules[] = {
    weightwise_rule<Coin, LogisticLoss>("Coin"),
    weightwise_rule<Coin, HingeLoss>("CoinHinge"),
    weightwise_rule<Coin, SquaredHingeLoss>("CoinSquaredHinge"),
    weightwise_rule<Coin, SquaredLoss>("CoinSquared"),
};

}  // namespace INSTRUCTION_SET
