// Decimal numbers in text, parsed to the nearest float64, as Python's float does.
//
// Eight digits are read at a time: they are the bytes of one 64-bit word, which three
// multiplications turn into a number. The float64 nearest to w · 10^q, mantissa times power of ten,
// then follows from one product of 64 and 128 bits. Both methods are Lemire's (2021, "Number parsing
// at a gigabyte per second"); Mushtak and Lemire (2023, "Fast number parsing without fallback")
// prove that 128 bits of the power of five always suffice.

#pragma once

#include <limits>

#include "text.h"

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

struct Integer {
  i64 stop, value;
};

// The end of the digits at i, and the number continued by them, modulo 2⁶⁴.
ROSENBLATT_INLINE Integer parse_more_digits(Text text, i64 i, u64 number) {
  u64 word = word_at(text, i);
  int digits = count_digits(word);
  while (digits == 8) {
    number = 100000000 * number + parse_digits(word, 8);
    i += 8;
    word = word_at(text, i);
    digits = count_digits(word);
  }
  return {i + digits, i64(u64(TENS[digits]) * number + parse_digits(word, digits))};
}

// The end of the integer at `begin`, and the integer, at most MAX_INT; it stops at `begin` if there
// is none.
ROSENBLATT_INLINE Integer parse_int(Text text, i64 begin) {
  const u64 word = word_at(text, begin);
  const int digits = count_digits(word);
  i64 i = begin + digits, number = i64(parse_digits(word, digits));
  if (digits == 8) {
    for (; is_digit(text[i]); ++i) {
      number = 10 * number + (text[i] - '0');
      if (number > MAX_INT) number = MAX_INT;
    }
  }
  return {i, number};
}

// The float64 nearest to w · 10^q, ties to even; infinite if it is too large.
double nearest_float(u64 w, i64 q);

struct Decimal {
  i64 stop;      // the position after it; its first position if it is malformed
  double value;  // the nearest float64, if `exact`
  bool exact;    // false if more than 19 digits leave the value undecided, or it is infinite
};

constexpr i64 MAX_DIGITS = 19;                         // they fit 64 bits
constexpr i64 EXACT_DIGITS = 15, EXACT_POWER = 22;     // 10¹⁵ and 10²² are float64 numbers
constexpr double POWERS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The decimal of the more than 19 digits from `first` to `last`; `power` is that of the last one.
Decimal parse_long(Text text, i64 first, i64 last, i64 power);

// The decimal at `begin`: digits with an optional sign, point and power of ten.
//
// Up to 15 digits w with a power of ten −22 ≤ q ≤ 0 need one correctly rounded operation, w / 10^|q|
// (Clinger 1990, "How to read floating point numbers accurately", the fast path), up to 19 digits
// nearest_float. More are cut after the 19th: if w and w + 1 have the same nearest float64, so has
// every number between them.
ROSENBLATT_INLINE Decimal parse_decimal(Text text, i64 begin) {
  const Byte sign = text[begin];
  const i64 first = sign == '-' || sign == '+' ? begin + 1 : begin;
  i64 i, mantissa;
  if (is_digit(text[first]) && !is_digit(text[first + 1])) {
    i = first + 1;  // one digit is the most common case
    mantissa = text[first] - '0';
  } else {
    const Integer number = parse_more_digits(text, first, 0);
    i = number.stop;
    mantissa = number.value;
  }
  i64 digits = i - first, power = 0;
  if (text[i] == '.') {
    const i64 fraction = i + 1;
    const Integer number = parse_more_digits(text, fraction, u64(mantissa));
    i = number.stop;
    mantissa = number.value;
    power = fraction - i;
    digits -= power;
  }
  if (digits == 0) return {begin, 0.0, false};
  const i64 last = i;
  if (text[i] == 'e' || text[i] == 'E') {
    const bool negative = text[i + 1] == '-';
    const i64 start = negative || text[i + 1] == '+' ? i + 2 : i + 1;
    const Integer exponent = parse_int(text, start);
    if (exponent.stop == start) return {begin, 0.0, false};
    i = exponent.stop;
    power += negative ? -exponent.value : exponent.value;
  }
  Decimal number{i, 0.0, true};
  if (digits <= EXACT_DIGITS && -EXACT_POWER <= power && power <= 0) {
    number.value = double(mantissa) / POWERS[-power];
  } else {
    if (digits <= MAX_DIGITS) {
      number.value = nearest_float(u64(mantissa), power);
    } else {
      const Decimal long_one = parse_long(text, first, last, power);
      number.value = long_one.value;
      number.exact = long_one.exact;
    }
    number.exact = number.exact && number.value < std::numeric_limits<double>::infinity();
  }
  if (sign == '-') number.value = -number.value;
  return number;
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
