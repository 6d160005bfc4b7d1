// SHA-256 (FIPS 180-4), of up to three pieces one after the other.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace records {

using Byte = std::uint8_t;
using Digest = std::array<Byte, 32>;

struct Bytes {
  const Byte* data;
  std::size_t size;
};

class Sha256 {
 public:
  // `instructions`: compute it by instructions of the processor, which must have them.
  explicit Sha256(bool instructions) : instructions_(instructions) {}

  void add(Bytes bytes);
  Digest digest();

 private:
  void compress_blocks(const Byte* data, std::size_t blocks);

  const bool instructions_;
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<Byte, 64> block_;  // begun
  std::uint64_t size_ = 0;
};

// Whether the processor has instructions for it.
bool has_sha_instructions();

}  // namespace records
