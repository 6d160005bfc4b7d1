// MurmurHash3_x86_32 (Appleby), and the columns of hashed names.
//
// The hash is a state that absorbs up to eight bytes at a time, so that a parser hashes a name while
// it searches for its end, and hashes the common prefix of several names only once.

#pragma once

#include "text/text.h"

namespace rosenblatt::text {

// The hash of the bytes so far: h of all complete groups of four, the rest with the first lowest.
struct Murmur {
  u32 h = 0;
  u64 rest = 0;
  i64 size = 0;
};

constexpr u32 rotated(u32 x, int bits) { return x << bits | x >> (32 - bits); }

constexpr u32 scrambled(u32 quad) { return rotated(quad * 0xCC9E2D51u, 15) * 0x1B873593u; }

// The state after n ≤ 4 more bytes.
ROSENBLATT_INLINE Murmur absorb_quad(Murmur state, u64 quad, int n) {
  const int pending = int(state.size & 3);
  state.rest |= quad << 8 * pending;
  if (pending + n >= 4) {
    state.h = 5 * rotated(state.h ^ scrambled(u32(state.rest)), 13) + 0xE6546B64u;
    state.rest >>= 32;
  }
  state.size += n;
  return state;
}

// The state after the n ≤ 8 lowest bytes of a word.
ROSENBLATT_INLINE Murmur absorb(Murmur state, u64 word, int n) {
  const u64 masked = word & ~(~u64{0} << 4 * n << 4 * n);  // in two steps, for n = 8
  state = absorb_quad(state, masked & 0xFFFFFFFF, n < 4 ? n : 4);
  return n > 4 ? absorb_quad(state, masked >> 32, n - 4) : state;
}

ROSENBLATT_INLINE Murmur absorb_text(Murmur state, Text text, i64 begin, i64 stop) {
  for (i64 i = begin; i < stop; i += 8)
    state = absorb(state, word_at(text, i), int(stop - i < 8 ? stop - i : 8));
  return state;
}

ROSENBLATT_INLINE i32 finalized(Murmur state) {
  u32 h = state.h ^ scrambled(u32(state.rest)) ^ u32(state.size);
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  return i32(h ^ h >> 16);
}

// The column of a hash, below 2^bits.
ROSENBLATT_INLINE i32 column_of(i32 h, int bits) {
  return i32((h < 0 ? 0u - u32(h) : u32(h)) & ((u32{1} << bits) - 1));
}

}  // namespace rosenblatt::text
