// Category columns, see categories.h.

#include "text/hashing/categories.h"

#include <random>
#include <stdexcept>

namespace rosenblatt::text {
namespace {

// Half of the places are free: a run of so many is no chance, but words that someone has chosen.
constexpr int PROBES = 512;

// The n ≤ 8 bytes from i on, the first lowest.
ROSENBLATT_INLINE u64 bytes_at(Text text, i64 i, i64 n) {
  return n >= 8 ? word_at(text, i) : word_at(text, i) & ((u64{1} << 8 * n) - 1);
}

// A hash whose upper bits depend on all bytes: eight at a time, multiplied by 2⁶⁴ over the golden
// ratio (Knuth, The Art of Computer Programming, 6.4).
ROSENBLATT_INLINE u64 hash_of(Text text, i64 begin, i64 stop, u64 seed) {
  u64 hash = seed ^ u64(stop - begin);
  for (i64 i = begin; i < stop; i += 8) {
    hash = (hash ^ bytes_at(text, i, stop - i)) * 0x9E3779B97F4A7C15;
    hash ^= hash >> 32;
  }
  return hash * 0x9E3779B97F4A7C15;
}

ROSENBLATT_INLINE bool are_equal(Text text, i64 one, i64 other, i64 length) {
  for (i64 k = 0; k < length; k += 8)
    if (bytes_at(text, one + k, length - k) != bytes_at(text, other + k, length - k)) return false;
  return true;
}

// The codes with hashes from a seed on. Where their table is given up, which is where the seed is 0,
// nothing is returned.
bool encode(Text text, const i64* begins, const i64* stops, i64 cells, u64 seed, Codes& out) {
  out = {Column<i32>(cells), {}};
  int bits = 1;
  while (i64{1} << bits <= 2 * cells) ++bits;
  const u64 last = (u64{1} << bits) - 1;
  std::vector<i32> table(last + 1, -1);
  for (i64 cell = 0; cell < cells; ++cell) {
    const i64 begin = begins[cell], length = stops[cell] - begin;
    u64 slot = hash_of(text, begin, stops[cell], seed) >> (64 - bits);
    for (int probe = 0; table[slot] >= 0; slot = (slot + 1) & last) {
      if (++probe > PROBES && seed == 0) return false;
      const i64 first = out.firsts[std::size_t(table[slot])];
      if (stops[first] - begins[first] == length && are_equal(text, begin, begins[first], length)) break;
    }
    if (table[slot] < 0) {
      table[slot] = i32(out.firsts.size());
      out.firsts.push_back(cell);
    }
    out.codes[cell] = table[slot];
  }
  return true;
}

}  // namespace

Codes encode_words(Text text, const i64* begins, const i64* stops, i64 cells) {
  Codes out{Column<i32>(0), {}};
  if (!encode(text, begins, stops, cells, 0, out)) {
    std::random_device secret;
    encode(text, begins, stops, cells, u64{secret()} << 32 | secret() | 1, out);
  }
  return out;
}

AssembledRows assemble_rows(const double* numbers, const i32* codes, i64 rows, const ColumnMap& map) {
  const i64 capacity = rows * (map.n_numbers + map.n_columns);
  AssembledRows out{Column<i32>(capacity), Column<double>(capacity), Column<i64>(rows + 1), 0};
  i64 entries = 0;
  out.indptr[0] = 0;
  const auto append = [&](i32 column, double value) {
    if (value == 0.0) return;
    out.columns[entries] = column;
    out.data[entries++] = value;
  };
  for (i64 row = 0; row < rows; ++row) {
    for (i64 j = 0; j < map.n_numbers; ++j) append(map.numbers[j], numbers[row * map.n_numbers + j]);
    for (i64 c = 0; c < map.n_columns; ++c) {
      const i64 word = map.starts[c] + codes[c * rows + row];
      if (word < 0 || word >= map.n_words) throw std::out_of_range("a code has no word");
      append(map.words[word], map.values[word]);
    }
    out.indptr[row + 1] = entries;
  }
  out.entries = entries;
  return out;
}

}  // namespace rosenblatt::text
