// The exponential of the Gaussian and the Laplace kernel, from products to values in one pass.
//
// exp(x) = 2^k e^r, with k = round(x / ln 2); e^r is the rational function of the Cephes library
// (Moshier 1989; error 1 ulp).

#pragma once

#include "arithmetic/lanes.h"

namespace INSTRUCTION_SET {

constexpr double PER_LN2 = 1.4426950408889634;
// ln 2 in two parts (Cody and Waite 1980): the high one ends with so many zeros that k times it is exact.
constexpr double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
constexpr double TO_BITS =
    1.5 * 4503599627370496.0 + 1023.0;         // k + this: its lowest bits are the exponent of 2^k
constexpr double LOWEST = -709.0895657128241;  // −1023 ln 2, where the exponent's bits are those of zero

INLINE double power_of(double shifted) {
  std::uint64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  bits <<= 52;
  std::memcpy(&shifted, &bits, sizeof bits);
  return shifted;
}
INLINE Doubles power_of(Doubles shifted) { return (Doubles)((Masks)shifted << 52); }

// One value or a vector of them: V is double or Doubles.
template <class V>
INLINE V gaussian_of(V pair, V own, V other, V factor) {
  const V distance = (pair * -2.0 + own) + other;
  const V zero = splat<V>(0.0), lowest = splat<V>(LOWEST);
  const V scaled = pick(distance < zero, zero, distance) * factor;  // below zero by rounding; NaN stays
  const V x = pick(scaled < lowest, lowest, scaled);
  const V shifted = x * PER_LN2 + TO_BITS;
  const V k = shifted - TO_BITS;
  const V r = (x - k * LN2_HIGH) - k * LN2_LOW;
  const V z = r * r;
  const V p = r * ((1.26177193074810590878e-4 * z + 3.02994407707441961300e-2) * z + 1.0);
  V q = (3.00198505138664455042e-6 * z + 2.52448340349684104192e-3) * z;
  q = (q + 2.27265548208155028766e-1) * z + 2.0;
  const V ratio = p / (q - p);
  return (1.0 + (ratio + ratio)) * power_of(shifted);
}

inline void write_gaussian(double* pairs, const double* own, const double* other, i64 n, i64 m,
                           double gamma) {
  for (i64 i = 0; i < n; ++i) {
    double* row = pairs + i * m;
    i64 j = 0;
    const Doubles mine = spread(own[i]), factor = spread(-gamma);
    for (; j + WIDTH <= m; j += WIDTH)
      store(row + j, gaussian_of<Doubles>(load(row + j), mine, load(other + j), factor));
    for (; j < m; ++j) row[j] = gaussian_of<double>(row[j], own[i], other[j], -gamma);
  }
}

}  // namespace INSTRUCTION_SET
