// Tokens of JSON (RFC 8259): strings and numbers, and nothing that readers take in different ways.
//
// The byte after the text must be readable, and part of no token: a zero or a newline.

#pragma once

#include <string>
#include <string_view>

#include "text/text.h"

namespace rosenblatt::json {

using text::Byte;
using text::i64;
using text::Text;
using text::u32;
using text::u64;

constexpr i64 INVALID = -1;

ROSENBLATT_INLINE i64 skip_space(Text text, i64 i) {
  while (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
    if (i == text.size) break;  // the newline after the text
    ++i;
  }
  return i;
}

// What stands between the quotes; `escaped` if a backslash does.
struct String {
  i64 begin, stop;
  bool escaped, ascii;
};

// Returns the end of the string whose opening quote is at i, or INVALID. Its UTF-8 is not checked.
ROSENBLATT_INLINE i64 scan_string(Text text, i64 i, String& string) {
  string = {i + 1, i + 1, false, true};
  for (++i; text[i] != '"'; ++i) {
    if (text[i] < ' ' || i == text.size) return INVALID;
    if (text[i] == '\\') {
      string.escaped = true;
      if (text[++i] < ' ') return INVALID;
    }
    string.ascii &= text[i] < 0x80;
  }
  if (i >= text.size) return INVALID;  // a backslash hid the byte after the text
  string.stop = i;
  return i + 1;
}

struct Number {
  double value;
  bool whole;  // without a point and a power of ten
};

// Returns the end of the number at i, or INVALID: also where its nearest float64 is infinite, or is
// not certain.
i64 scan_number(Text text, i64 i, Number& number);

// Whether bytes are UTF-8, without surrogates.
bool is_utf8(const Byte* bytes, i64 size);

// Writes the characters of a string that has escapes; returns false if they are not UTF-8, or an
// escape is unknown or half a pair of surrogates.
bool unescape(Text text, const String& string, std::string& characters);

inline std::string_view part(Text text, i64 begin, i64 stop) {
  return {reinterpret_cast<const char*>(text.bytes) + begin, std::size_t(stop - begin)};
}

// The end of a literal at i, or INVALID.
inline i64 after(Text text, i64 i, std::string_view literal) {
  const i64 end = i + i64(literal.size());
  return end <= text.size && part(text, i, end) == literal ? end : INVALID;
}

// The beginning of the value of a key that ends at i, or INVALID.
inline i64 after_colon(Text text, i64 i) {
  i = skip_space(text, i);
  return text[i] == ':' ? skip_space(text, i + 1) : INVALID;
}

// Returns the end of the string at i, or INVALID, and writes its characters, which are UTF-8; `kept`
// has them if some are escaped.
i64 read_string(Text text, i64 i, std::string& kept, std::string_view& characters);

}  // namespace rosenblatt::json
