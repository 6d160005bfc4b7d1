// Text as a scan sees it: bytes that end with a newline, which is part of no token, so that no scan
// runs past the end; and words of eight of its bytes.

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace rosenblatt::text {

// Inlined, the results of a part of a scan stay in registers; a call would pass them through memory.
// So would a struct of results, which GCC copies in vectors. Parts of a scan therefore return the
// end of what they read, and write what it is through references.
#define ROSENBLATT_INLINE __attribute__((always_inline)) inline

// The same for a lambda, whose captured variables would else live in memory.
#define ROSENBLATT_INLINED __attribute__((always_inline))

using i64 = std::int64_t;
using u64 = std::uint64_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using i16 = std::int16_t;
using Byte = std::uint8_t;

constexpr Byte TAB = '\t', NEWLINE = '\n', RETURN = '\r', BLANK = ' ', QUOTE = '"';

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a word is the lowest");

struct Text {
  const Byte* bytes;
  i64 size;

  Byte operator[](i64 i) const { return bytes[i]; }
};

// Start and end of a token, and two numbers that say what it is; see the scans.
struct Span {
  i64 row, column, begin, stop;
};

using Spans = std::vector<Span>;

ROSENBLATT_INLINE i64 skip_blanks(Text text, i64 i) {
  while (text[i] == BLANK || text[i] == TAB) ++i;
  return i;
}

ROSENBLATT_INLINE bool ends_line(Text text, i64 i) {
  return text[i] == NEWLINE || (text[i] == RETURN && text[i + 1] == NEWLINE);
}

// --- eight bytes at once -------------------------------------------------------------------------

constexpr u64 ONES = 0x0101010101010101, HIGH_BITS = 0x8080808080808080;

// The bytes from i on, the first lowest, for fewer than eight.
u64 last_word(Text text, i64 i);

// The eight bytes from i on, the first lowest; bytes past the end are zero.
ROSENBLATT_INLINE u64 word_at(Text text, i64 i) {
  if (i + 8 > text.size) return last_word(text, i);
  u64 word;
  std::memcpy(&word, text.bytes + i, sizeof word);
  return word;
}

// The number of bytes before the first that is marked by its high bit, 0 to 8.
ROSENBLATT_INLINE int bytes_before(u64 marks) { return marks ? __builtin_ctzll(marks) >> 3 : 8; }

// --- counts and records --------------------------------------------------------------------------

struct Counts {
  i64 lines, marks;
  bool plain;  // whether all bytes are ASCII without NUL
};

// Newlines, and bytes equal to the mark, or at most the mark.
Counts count_bytes(Text text, Byte mark, bool or_below);

struct Records {
  i64 stop;     // the end of the last complete record
  bool quoted;  // whether a quote is open after the text
};

// The text need not end with a newline.
Records complete_records(Text text, Byte separator, bool quoted);

}  // namespace rosenblatt::text
