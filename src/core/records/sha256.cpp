#include "records/sha256.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace records {
namespace {

using u32 = std::uint32_t;
using State = std::array<u32, 8>;

constexpr std::size_t BLOCK = 64;

// The first 32 bits of the fractions of the cube roots of the first 64 primes.
alignas(16) constexpr u32 K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

u32 big_endian(const Byte* bytes) {
  return u32(bytes[0]) << 24 | u32(bytes[1]) << 16 | u32(bytes[2]) << 8 | bytes[3];
}

constexpr u32 rotate(u32 x, int n) { return x >> n | x << (32 - n); }

void compress(State& state, const Byte* data, std::size_t blocks) {
  for (; blocks > 0; --blocks, data += BLOCK) {
    u32 w[64];
    for (int t = 0; t < 16; ++t) w[t] = big_endian(data + 4 * t);
    for (int t = 16; t < 64; ++t) {
      const u32 s0 = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
      const u32 s1 = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int t = 0; t < 64; ++t) {
      const u32 s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const u32 first = h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t];
      const u32 s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const u32 second = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
    }
    const State sums = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; ++k) state[k] += sums[k];
  }
}

#if defined(__x86_64__)

bool find_instructions() {
  unsigned a, b, c, d;
  constexpr unsigned SSSE3 = 1 << 9, SSE41 = 1 << 19, SHA = 1 << 29;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & SSSE3) || !(c & SSE41)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & SHA;
}

// The instructions keep the state as (a, b, e, f) and (c, d, g, h), the first in the highest lane, and
// take two rounds at once.
__attribute__((target("sha,sse4.1,ssse3"))) void compress_by_instructions(State& state, const Byte* data,
                                                                          std::size_t blocks) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i dcba = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&state[0]));
  const __m128i hgfe = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&state[4]));
  const __m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xF0);
  for (; blocks > 0; --blocks, data += BLOCK) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int t = 0; t < 16; ++t) {  // four rounds each
      __m128i& now = w[t % 4];
      if (t < 4) {
        const auto* words = reinterpret_cast<const __m128i*>(data + 16 * t);
        now = _mm_shuffle_epi8(_mm_loadu_si128(words), order);
      } else {
        const __m128i last = w[(t + 3) % 4];
        const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(now, w[(t + 1) % 4]),
                                          _mm_alignr_epi8(last, w[(t + 2) % 4], 4));
        now = _mm_sha256msg2_epu32(sum, last);
      }
      const __m128i sum =
          _mm_add_epi32(now, _mm_load_si128(reinterpret_cast<const __m128i*>(K + 4 * t)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1B), dchg = _mm_shuffle_epi32(cdgh, 0xB1);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[0]), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(&state[4]), _mm_alignr_epi8(dchg, feba, 8));
}

#else

bool find_instructions() { return false; }
void compress_by_instructions(State& state, const Byte* data, std::size_t blocks) {
  compress(state, data, blocks);
}

#endif

}  // namespace

bool has_sha_instructions() {
  static const bool found = find_instructions();
  return found;
}

void Sha256::compress_blocks(const Byte* data, std::size_t blocks) {
  (instructions_ ? compress_by_instructions : compress)(state_, data, blocks);
}

void Sha256::add(Bytes bytes) {
  const std::size_t begun = size_ % BLOCK;
  size_ += bytes.size;
  if (begun) {
    const std::size_t n = std::min(BLOCK - begun, bytes.size);
    std::copy_n(bytes.data, n, block_.data() + begun);
    if (begun + n < BLOCK) return;
    compress_blocks(block_.data(), 1);
    bytes = {bytes.data + n, bytes.size - n};
  }
  const std::size_t blocks = bytes.size / BLOCK;
  compress_blocks(bytes.data, blocks);
  std::copy_n(bytes.data + BLOCK * blocks, bytes.size % BLOCK, block_.data());
}

Digest Sha256::digest() {
  constexpr std::size_t LENGTH = 8;  // bytes at the end that have the number of bits
  Byte end[2 * BLOCK] = {0x80};
  const std::size_t begun = size_ % BLOCK;
  const std::size_t n = (begun + 1 + LENGTH <= BLOCK ? BLOCK : 2 * BLOCK) - begun;
  const std::uint64_t bits = 8 * size_;
  for (std::size_t k = 0; k < LENGTH; ++k) end[n - 1 - k] = Byte(bits >> (8 * k));
  add({end, n});
  Digest digest;
  for (std::size_t k = 0; k < 32; ++k) digest[k] = Byte(state_[k / 4] >> (24 - 8 * (k % 4)));
  return digest;
}

}  // namespace records
