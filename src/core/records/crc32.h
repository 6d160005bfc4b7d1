// CRC-32 as zlib has it (polynomial 0xEDB88320, bits reversed), eight bytes at a time.

#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "records/sha256.h"

namespace records {

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

// The table k has what a byte does to the sum when k more bytes follow it.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320 : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[k - 1][byte];
      tables[k][byte] = before >> 8 ^ tables[0][before & 255];
    }
  return tables;
}

// The sum of bytes that follow others with this sum; 0 at first.
inline std::uint32_t crc32(Bytes bytes, std::uint32_t sum) {
  static constexpr CrcTables TABLES = make_crc_tables();
  sum = ~sum;
  const Byte* byte = bytes.data;
  std::size_t left = bytes.size;
  for (; left >= 8; left -= 8, byte += 8) {
    std::uint64_t word;
    std::memcpy(&word, byte, sizeof word);
    word ^= sum;
    sum = 0;
    for (int k = 0; k < 8; ++k) sum ^= TABLES[7 - k][word >> (8 * k) & 255];
  }
  for (; left > 0; --left, ++byte) sum = sum >> 8 ^ TABLES[0][(sum ^ *byte) & 255];
  return ~sum;
}

}  // namespace records
