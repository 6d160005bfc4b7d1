// Counts of bytes, and the ends of records.

#include "text/text.h"

namespace rosenblatt::text {

u64 last_word(Text text, i64 i) {
  u64 word = 0;
  for (i64 k = text.size - 1; k >= i; --k) word = word << 8 | text[k];
  return word;
}

namespace {

// Sums of bytes: a block is short enough for a count to fit a byte of each lane.
constexpr i64 BLOCK = 255 * 32;

template <bool or_below>
Counts count(Text text, Byte mark) {
  Counts counts{0, 0, true};
  Byte least = 127, bits = 0;
  for (i64 start = 0; start < text.size; start += BLOCK) {
    const i64 stop = start + BLOCK < text.size ? start + BLOCK : text.size;
    u32 lines = 0, marks = 0;
    for (i64 i = start; i < stop; ++i) {
      const Byte byte = text[i];
      lines += byte == NEWLINE;
      marks += or_below ? byte <= mark : byte == mark;
      bits |= byte;
      least = byte < least ? byte : least;
    }
    counts.lines += lines;
    counts.marks += marks;
  }
  counts.plain = least > 0 && bits < 128;
  return counts;
}

}  // namespace

Counts count_bytes(Text text, Byte mark, bool or_below) {
  return or_below ? count<true>(text, mark) : count<false>(text, mark);
}

Records complete_records(Text text, Byte separator, bool quoted) {
  const i64 size = text.size;
  i64 stop = 0, i = 0;
  if (!quoted && size && text[0] == QUOTE) {
    quoted = true;
    i = 1;
  }
  while (i < size) {
    if (quoted) {
      while (i < size && text[i] != QUOTE) ++i;
      quoted = i == size || (i + 1 < size && text[i + 1] == QUOTE);
    } else {
      while (i < size && text[i] != separator && text[i] != NEWLINE) ++i;
      if (i < size && text[i] == NEWLINE) stop = i + 1;
      quoted = i + 1 < size && text[i + 1] == QUOTE;
    }
    i += 1 + quoted;
  }
  return {stop, quoted};
}

}  // namespace rosenblatt::text
