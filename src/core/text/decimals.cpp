// Powers of five, and the decimals that they decide.

#include "text/decimals.h"

#include <array>
#include <cmath>

namespace rosenblatt::text {
namespace {

__extension__ typedef unsigned __int128 u128;

constexpr i64 MIN_POWER = -342, MAX_POWER = 308;  // below, w · 10^q rounds to 0; above, to infinity

struct Power {
  u64 high, low;
};

// A natural number of up to 1,024 bits: 5³⁴² has 795, and its inverse needs 128 more.
class Natural {
 public:
  explicit Natural(int bit) { words_[bit / 32] = u32{1} << bit % 32; }

  void multiply_by_five() {
    u64 carry = 0;
    for (u32& word : words_) {
      carry += u64{5} * word;
      word = u32(carry);
      carry >>= 32;
    }
  }

  // Rounds down.
  void divide_by_five() {
    u64 rest = 0;
    for (int k = WORDS - 1; k >= 0; --k) {
      rest = rest << 32 | words_[k];
      words_[k] = u32(rest / 5);
      rest %= 5;
    }
  }

  int bit_length() const {
    int k = WORDS - 1;
    while (words_[k] == 0) --k;
    return 32 * k + 32 - __builtin_clz(words_[k]);
  }

  // The 128 bits of the number · 2^−shift.
  u128 bits_from(int shift) const {
    u128 bits = 0;
    for (int bit = shift + 127; bit >= shift; --bit) bits = bits << 1 | (bit < 0 ? 0 : at(bit));
    return bits;
  }

  // 1024 bits: 5^342 has 795, and 2^1023 / 5^342 more than the 128 that are kept.
  static constexpr int WORDS = 32, BITS = 32 * WORDS;

 private:
  u32 at(int bit) const { return words_[bit / 32] >> bit % 32 & 1; }

  std::array<u32, WORDS> words_{};
};

using Powers = std::array<Power, MAX_POWER - MIN_POWER + 1>;

// The 128 leading bits of each 5^q, rounded up for −27 ≤ q < 0: w · 5^q can be an integer.
//
// The inverse of 5^k has the bits of ⌊2^N / 5^k⌋, which k divisions that round down give.
Powers powers_of_five() {
  Powers powers;
  constexpr int N = Natural::BITS - 1;
  Natural power(0), inverse(N);
  for (i64 k = 0; k <= -MIN_POWER; ++k) {
    const int length = power.bit_length();
    if (k <= MAX_POWER) {
      const u128 bits = power.bits_from(length - 128);
      powers[k - MIN_POWER] = {u64(bits >> 64), u64(bits)};
    }
    if (k > 0) {
      const u128 bits = inverse.bits_from(N - (length + 127)) + (k <= 27);
      powers[-k - MIN_POWER] = {u64(bits >> 64), u64(bits)};
    }
    power.multiply_by_five();
    inverse.divide_by_five();
  }
  return powers;
}

const Powers POWERS_OF_FIVE = powers_of_five();

}  // namespace

double nearest_float(u64 w, i64 q) {
  constexpr double INFINITE = std::numeric_limits<double>::infinity();
  if (w == 0 || q < MIN_POWER) return 0.0;
  if (q > MAX_POWER) return INFINITE;
  const int zeros = __builtin_clzll(w);
  const Power five = POWERS_OF_FIVE[q - MIN_POWER];
  w <<= zeros;
  const u128 product = u128{w} * five.high + (u128{w} * five.low >> 64);
  const u64 high = u64(product >> 64), low = u64(product);
  const int carry = int(high >> 63), dropped = 9 + carry;
  u64 m = high >> dropped;  // the 53 bits of a float64, and one that rounds
  if ((m & 3) == 1 && low == 0 && -4 <= q && q <= 23 && (high & ((u64{1} << dropped) - 1)) == 0)
    --m;  // a tie, which only these powers allow, after an even number
  const i64 exponent = (217706 * q >> 16) + carry - zeros + 1086;  // 217706 / 2¹⁶ = log₂ 10
  if (exponent > 2046) return INFINITE;
  if (exponent < 1) m >>= 1 - exponent < 63 ? 1 - exponent : 63;  // subnormal numbers have fewer bits
  // A mantissa that rounds up to 2⁵³ carries into the exponent, as intended.
  const u64 bits = ((m + 1) >> 1) + (u64(exponent > 1 ? exponent - 1 : 0) << 52);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

double parse_long(Text text, i64 first, i64 last, i64 power, bool& exact) {
  u64 mantissa = 0;
  i64 digits = 0;
  for (i64 i = first; i < last; ++i) {
    if (text[i] == '.' || (digits == 0 && text[i] == '0')) continue;
    if (digits < MAX_DIGITS) mantissa = 10 * mantissa + (text[i] - '0');
    ++digits;
  }
  if (digits <= MAX_DIGITS) return nearest_float(mantissa, power);  // the others were leading zeros
  power += digits - MAX_DIGITS;
  const double value = nearest_float(mantissa, power);
  exact = value == nearest_float(mantissa + 1, power);
  return value;
}

// --- decimals as they are written ----------------------------------------------------------------

namespace {

constexpr i64 TOLD_DIGITS = 15;        // decimals of so many digits differ where their floats do
constexpr i64 MOST_DIGITS_OF_64 = 18;  // 10¹⁸ < 2⁶³

}  // namespace

bool tells_written(Text text, i64 begin, i64 stop, double value) {
  const bool normal = std::fabs(value) >= std::numeric_limits<double>::min();
  if (normal && stop - begin <= TOLD_DIGITS) return true;
  i64 digits = 0;
  for (i64 i = begin; i < stop && text[i] != 'e' && text[i] != 'E'; ++i)
    digits += is_digit(text[i]) && (digits > 0 || text[i] != '0');
  return digits <= TOLD_DIGITS && (normal || digits == 0);
}

Written read_written(Text text, i64 begin, i64 stop) {
  i64 number = 0, count = 0, power = 0, fraction = 0;
  for (i64 i = begin; i < stop; ++i) {
    const Byte byte = text[i];
    if (is_digit(byte)) {
      if (count < MOST_DIGITS_OF_64) number = 10 * number + (byte - '0');
      count += number != 0;
      power -= fraction;
    } else if (byte == '.') {
      fraction = 1;
    } else if (byte == 'e' || byte == 'E') {
      const bool down = text[i + 1] == '-', is_signed = down || !is_digit(text[i + 1]);
      i64 exponent;
      parse_int(text, is_signed ? i + 2 : i + 1, exponent);
      power += down ? -exponent : exponent;
      break;
    }
  }
  return {text[begin] == '-' ? -number : number, power, count <= MOST_DIGITS_OF_64};
}

}  // namespace rosenblatt::text
