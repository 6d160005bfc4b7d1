#include "json/tokens.h"

#include "text/decimals.h"

namespace rosenblatt::json {
namespace {

using text::is_digit;

// The number of four hexadecimal digits at i, or INVALID.
i64 read_hex(Text text, i64 i) {
  i64 code = 0;
  for (i64 k = i; k < i + 4; ++k) {
    const Byte lower = text[k] | 0x20;
    if (is_digit(text[k])) code = 16 * code + (text[k] - '0');
    else if ('a' <= lower && lower <= 'f') code = 16 * code + (lower - 'a' + 10);
    else return INVALID;
  }
  return code;
}

void append_utf8(i64 code, std::string& characters) {
  if (code < 0x80) {
    characters += char(code);
    return;
  }
  if (code < 0x800) {
    characters += char(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      characters += char(0xE0 | code >> 12);
    } else {
      characters += char(0xF0 | code >> 18);
      characters += char(0x80 | (code >> 12 & 0x3F));
    }
    characters += char(0x80 | (code >> 6 & 0x3F));
  }
  characters += char(0x80 | (code & 0x3F));
}

constexpr bool is_high(i64 code) { return 0xD800 <= code && code < 0xDC00; }
constexpr bool is_low(i64 code) { return 0xDC00 <= code && code < 0xE000; }

// Appends the character of \uXXXX at i, or of two that are a pair of surrogates; returns its end.
i64 append_code(Text text, i64 i, i64 stop, std::string& characters) {
  if (i + 6 > stop) return INVALID;
  i64 code = read_hex(text, i + 2);
  if (code < 0 || is_low(code)) return INVALID;
  i += 6;
  if (is_high(code)) {
    if (i + 6 > stop || text[i] != '\\' || text[i + 1] != 'u') return INVALID;
    const i64 low = read_hex(text, i + 2);
    if (low < 0 || !is_low(low)) return INVALID;
    code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
    i += 6;
  }
  append_utf8(code, characters);
  return i;
}

}  // namespace

i64 scan_number(Text text, i64 i, Number& number) {
  const i64 first = text[i] == '-' ? i + 1 : i;
  if (!is_digit(text[first]) || (text[first] == '0' && is_digit(text[first + 1]))) return INVALID;
  bool exact;
  const i64 end = text::parse_decimal(text, i, number.value, exact);
  if (end == i || end > text.size || !exact) return INVALID;
  number.whole = true;
  for (i64 k = first; k < end; ++k) {
    if (is_digit(text[k])) continue;
    if (text[k] == '.' && !is_digit(text[k + 1])) return INVALID;
    number.whole = false;
  }
  return end;
}

bool is_utf8(const Byte* bytes, i64 size) {
  for (i64 i = 0; i < size;) {
    const Byte first = bytes[i];
    const int more = first < 0x80 ? 0 : first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    if (more < 0 || first > 0xF4 || i + more >= size) return false;
    for (int k = 1; k <= more; ++k)
      if ((bytes[i + k] & 0xC0) != 0x80) return false;
    const Byte second = more > 0 ? bytes[i + 1] : 0;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||  // surrogates
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return false;
    i += more + 1;
  }
  return true;
}

bool unescape(Text text, const String& string, std::string& characters) {
  characters.clear();
  for (i64 i = string.begin; i < string.stop;) {
    if (text[i] != '\\') {
      characters += char(text[i++]);
      continue;
    }
    const Byte escape = text[i + 1];
    if (escape == 'u') {
      i = append_code(text, i, string.stop, characters);
      if (i == INVALID) return false;
      continue;
    }
    constexpr char LETTERS[] = "\"\\/bfnrt", MEANT[] = "\"\\/\b\f\n\r\t";
    const char* found = std::strchr(LETTERS, escape);
    if (!found) return false;
    characters += MEANT[found - LETTERS];
    i += 2;
  }
  return is_utf8(reinterpret_cast<const Byte*>(characters.data()), i64(characters.size()));
}

i64 read_string(Text text, i64 i, std::string& kept, std::string_view& characters) {
  String string;
  if (text[i] != '"' || (i = scan_string(text, i, string)) == INVALID) return INVALID;
  characters = part(text, string.begin, string.stop);
  if (string.escaped) {
    if (!unescape(text, string, kept)) return INVALID;
    characters = kept;
  } else if (!string.ascii && !is_utf8(text.bytes + string.begin, string.stop - string.begin)) {
    return INVALID;
  }
  return i;
}

}  // namespace rosenblatt::json
