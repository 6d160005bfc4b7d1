// Decimal numbers in text, parsed to the nearest float64, as Python's float does.
//
// Eight digits are read at a time: they are the bytes of one 64-bit word, which three
// multiplications turn into a number. The float64 nearest to w · 10^q, mantissa times power of ten,
// then follows from one product of 64 and 128 bits. Both methods are Lemire's (2021, "Number parsing
// at a gigabyte per second"); Mushtak and Lemire (2023, "Fast number parsing without fallback")
// prove that 128 bits of the power of five always suffice.

#pragma once

#include <limits>

#include "text/text.h"

namespace rosenblatt::text {

constexpr bool is_digit(Byte byte) { return byte >= '0' && byte <= '9'; }

constexpr u64 ZERO_BYTES = 0x3030303030303030;
constexpr u64 TO_HIGH = 0x4646464646464646;  // 0x80 less what comes after '9'
constexpr i64 TENS[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
constexpr i64 MAX_INT = 900'000'000'000'000'000;  // a digit more still fits 64 bits

// The number of digits at the start of the word, 0 to 8.
//
// The sum has the high bit of each byte above '9', the difference that of each byte below '0'.
// Carries reach only bytes after the first that is no digit.
ROSENBLATT_INLINE int count_digits(u64 word) {
  return bytes_before(((word + TO_HIGH) | (word - ZERO_BYTES)) & HIGH_BITS);
}

// The number of the first digits of the word.
ROSENBLATT_INLINE u64 parse_digits(u64 word, int digits) {
  const int half = 4 * (8 - digits);  // in two steps: a shift by all 64 bits is undefined
  const u64 ones = (word ^ ZERO_BYTES) << half << half;
  const u64 pairs = 10 * ones + (ones >> 8);
  const u64 first = pairs & 0xFF000000FF, second = pairs >> 16 & 0xFF000000FF;
  // The upper halves of the products are 10⁶ p₀ + 10² p₂ and 10⁴ p₁ + p₃ of the pairs p.
  constexpr u64 OF_FIRST = 100 + (u64{1000000} << 32), OF_SECOND = 1 + (u64{10000} << 32);
  return (first * OF_FIRST + second * OF_SECOND) >> 32 & 0xFFFFFFFF;
}

// Returns the end of the digits at i, and continues the number by them, modulo 2⁶⁴.
ROSENBLATT_INLINE i64 parse_more_digits(Text text, i64 i, u64& number) {
  u64 word = word_at(text, i);
  int digits = count_digits(word);
  while (digits == 8) {
    number = 100000000 * number + parse_digits(word, 8);
    i += 8;
    word = word_at(text, i);
    digits = count_digits(word);
  }
  number = u64(TENS[digits]) * number + parse_digits(word, digits);
  return i + digits;
}

// Returns the end of the integer at `begin`, and writes it, at most MAX_INT; the end is `begin` if
// there is none.
ROSENBLATT_INLINE i64 parse_int(Text text, i64 begin, i64& number) {
  const u64 word = word_at(text, begin);
  const int digits = count_digits(word);
  i64 i = begin + digits;
  number = i64(parse_digits(word, digits));
  if (digits == 8) {
    for (; is_digit(text[i]); ++i) {
      number = 10 * number + (text[i] - '0');
      if (number > MAX_INT) number = MAX_INT;
    }
  }
  return i;
}

// The float64 nearest to w · 10^q, ties to even; infinite if it is too large.
double nearest_float(u64 w, i64 q);

constexpr i64 MAX_DIGITS = 19;                      // they fit 64 bits
constexpr i64 EXACT_DIGITS = 15, EXACT_POWER = 22;  // 10¹⁵ and 10²² are float64 numbers
constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The value of the more than 19 digits from `first` to `last`; `power` is that of the last one.
double parse_long(Text text, i64 first, i64 last, i64 power, bool& exact);

// Returns the end of the decimal at `begin`, and writes its nearest float64: digits with an optional
// sign, point and power of ten. The end is `begin` if it is malformed.
//
// Up to 15 digits w with a power of ten −22 ≤ q ≤ 0 need one correctly rounded operation, w / 10^|q|
// (Clinger 1990, "How to read floating point numbers accurately", the fast path), up to 19 digits
// nearest_float. More are cut after the 19th: if w and w + 1 have the same nearest float64, so has
// every number between them. `exact` is false if they have not, or the value is infinite.
ROSENBLATT_INLINE i64 parse_decimal(Text text, i64 begin, double& value, bool& exact) {
  const Byte sign = text[begin];
  const i64 first = sign == '-' || sign == '+' ? begin + 1 : begin;
  i64 i = first;
  u64 mantissa = 0;
  if (is_digit(text[first]) && !is_digit(text[first + 1])) {
    mantissa = u64(text[i++] - '0');  // one digit is the most common case
  } else {
    i = parse_more_digits(text, first, mantissa);
  }
  i64 digits = i - first, power = 0;
  if (text[i] == '.') {
    const i64 fraction = i + 1;
    i = parse_more_digits(text, fraction, mantissa);
    power = fraction - i;
    digits -= power;
  }
  value = 0.0;
  exact = false;
  if (digits == 0) return begin;
  const i64 last = i;
  if (text[i] == 'e' || text[i] == 'E') {
    const bool negative = text[i + 1] == '-';
    const i64 start = negative || text[i + 1] == '+' ? i + 2 : i + 1;
    i64 exponent;
    i = parse_int(text, start, exponent);
    if (i == start) return begin;
    power += negative ? -exponent : exponent;
  }
  exact = true;
  if (digits <= EXACT_DIGITS && -EXACT_POWER <= power && power <= 0) {
    value = double(i64(mantissa)) / POWERS[-power];
  } else {
    if (digits <= MAX_DIGITS) value = nearest_float(mantissa, power);
    else value = parse_long(text, first, last, power, exact);
    exact = exact && value < std::numeric_limits<double>::infinity();
  }
  if (sign == '-') value = -value;
  return i;
}

// Whether a float tells the decimal of the text from `begin` to `stop`, digit by digit.
bool tells_written(Text text, i64 begin, i64 stop, double value);

struct Written {
  i64 digits, power;  // the number is digits · 10^power
  bool fits;          // whether the digits fit 64 bits
};

// The digits and the power of the decimal from `begin` to `stop`.
Written read_written(Text text, i64 begin, i64 stop);

}  // namespace rosenblatt::text
