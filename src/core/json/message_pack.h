// Values in MessagePack, with the shortest heads (github.com/msgpack/msgpack/blob/master/spec.md).

#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace rosenblatt::json {

// Appends values to bytes.
class Packer {
 public:
  explicit Packer(std::string& bytes) : bytes_(bytes) {}

  void none() { bytes_ += char(0xC0); }
  void boolean(bool value) { bytes_ += char(value ? 0xC3 : 0xC2); }
  void array(std::uint64_t size) { head(size, 0x90, 16, 0, 0xDC); }
  void map(std::uint64_t size) { head(size, 0x80, 16, 0, 0xDE); }
  void string(std::string_view text) {
    head(text.size(), 0xA0, 32, 0xD9, 0xDA);
    bytes_ += text;
  }
  void number(double value) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    bits = __builtin_bswap64(bits);
    char bytes[1 + sizeof bits] = {char(0xCB)};
    std::memcpy(bytes + 1, &bits, sizeof bits);
    bytes_.append(bytes, sizeof bytes);
  }
  void whole(std::int64_t value) {
    const std::uint64_t bits = std::uint64_t(value);
    if (value >= -32 && value < 128) return big_endian(bits, 1);
    const bool negative = value < 0;
    const std::uint64_t size = negative ? ~bits << 1 | 1 : bits;  // as if it had a bit for the sign
    int log = 0;                                                  // of the bytes
    while (log < 3 && size >> (8 << log)) ++log;
    bytes_ += char((negative ? 0xD0 : 0xCC) + log);
    big_endian(bits, 1 << log);
  }

 private:
  // Heads of fewer than `few` elements are one byte; with `one`, those of up to 255 are two.
  void head(std::uint64_t size, int least, std::uint64_t few, int one, int two) {
    if (size < few) {
      bytes_ += char(least + int(size));
    } else if (one && size < 1 << 8) {
      bytes_ += char(one);
      big_endian(size, 1);
    } else {
      const bool is_short = size < 1 << 16;
      bytes_ += char(is_short ? two : two + 1);
      big_endian(size, is_short ? 2 : 4);
    }
  }
  void big_endian(std::uint64_t bits, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) bytes_ += char(bits >> shift);
  }

  std::string& bytes_;
};

}  // namespace rosenblatt::json
