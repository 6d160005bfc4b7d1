// Random order of the rows in an epoch: scikit-learn's generator and shuffle.

#pragma once

#include <cstdint>

// The next state of Marsaglia's 32-bit xorshift generator, 0 < x < 2³².
static inline std::uint32_t xorshift32(std::uint32_t x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

// Fisher and Yates: `order` is permuted further. A seed of 0 stands for 1.
static inline void shuffle(std::int64_t* order, std::int64_t n, std::uint32_t seed) {
  std::uint32_t state = seed ? seed : 1;
  for (std::int64_t i = 0; i < n - 1; ++i) {
    state = xorshift32(state);
    const std::int64_t j = i + std::int64_t(state & 0x7FFFFFFF) % (n - i);
    const std::int64_t here = order[i];
    order[i] = order[j];
    order[j] = here;
  }
}
