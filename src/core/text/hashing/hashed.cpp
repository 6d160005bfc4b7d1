// Rows of hashed names, see hashed.h.

#include "text/hashing/hashed.h"

#include <cmath>
#include <utility>

#include "text/hashing/murmur.h"

namespace rosenblatt::text {
namespace {

constexpr int DIGIT_BITS = 6;  // bits of a column that are sorted at a time
constexpr int RADIX = 1 << DIGIT_BITS;
constexpr i64 SHORT_ROW = 40;      // columns: n² comparisons are quicker than counts of digits
constexpr int POSITION_BITS = 32;  // bits of the position in a row, below those of its column

// Writes the first n keys, which all differ, in order: each after the number of smaller keys.
void sort_by_counting(const i64* keys, i64 n, i64* out) {
  for (i64 k = 0; k < n; ++k) {
    const i64 key = keys[k];
    i64 below = 0;
    for (i64 other = 0; other < n; ++other) below += keys[other] < key;
    out[below] = key;
  }
}

// Sorts the first n keys by the digits of their columns, the lowest first; every pass is stable. The
// digits of all passes are counted in one. Returns the array that has the result.
template <int digits>
i64* sort_by_digits(i64* keys, i64 n, i64* spare) {
  u32 counts[digits][RADIX] = {};
  for (i64 k = 0; k < n; ++k) {
    u32 column = u32(u64(keys[k]) >> POSITION_BITS);
#pragma GCC unroll 5
    for (int digit = 0; digit < digits; ++digit, column >>= DIGIT_BITS)
      ++counts[digit][column & (RADIX - 1)];
  }
  for (int digit = 0; digit < digits; ++digit) {
    u32* starts = counts[digit];
    u32 position = 0;
    for (int value = 0; value < RADIX; ++value) position += std::exchange(starts[value], position);
    const int shift = POSITION_BITS + DIGIT_BITS * digit;
    for (i64 k = 0; k < n; ++k) spare[starts[keys[k] >> shift & (RADIX - 1)]++] = keys[k];
    std::swap(keys, spare);
  }
  return keys;
}

i64* sort_by_digits(i64* keys, i64 n, int bits, i64* spare) {
  switch ((bits + DIGIT_BITS - 1) / DIGIT_BITS) {
    case 1:
      return sort_by_digits<1>(keys, n, spare);
    case 2:
      return sort_by_digits<2>(keys, n, spare);
    case 3:
      return sort_by_digits<3>(keys, n, spare);
    case 4:
      return sort_by_digits<4>(keys, n, spare);
    default:
      return sort_by_digits<5>(keys, n, spare);  // of 30 bits
  }
}

// x, negated where the hash is negative: a branch would be guessed wrong every other time.
double with_sign_of(i32 h, double x) {
  u64 bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits ^= u64(u32(h) >> 31) << 63;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

i64 longest_row(SparseRows rows) {
  i64 longest = 0;
  for (i64 i = 0; i < rows.rows; ++i) {
    const i64 size = rows.indptr[i + 1] - rows.indptr[i];
    if (size > longest) longest = size;
  }
  return longest;
}

}  // namespace

i64 sort_and_sum(SparseRows rows, int bits) {
  const i64 longest = longest_row(rows);
  Column<i64> first(longest), second(longest);
  Column<double> values(longest);
  i64* keys = first.data();
  i64 end = 0, stop = rows.indptr[0];
  for (i64 i = 1; i <= rows.rows; ++i) {
    const i64 start = stop;
    stop = rows.indptr[i];
    const i64 n = stop - start;
    for (i64 k = 0; k < n; ++k) {
      const i32 h = rows.columns[start + k];
      keys[k] = i64(column_of(h, bits)) << POSITION_BITS | k;
      values[k] = with_sign_of(h, rows.data[start + k]);
    }
    i64* sorted = second.data();
    if (n <= SHORT_ROW) sort_by_counting(keys, n, sorted);
    else sorted = sort_by_digits(keys, n, bits, sorted);
    i32 before = -1;
    for (i64 k = 0; k < n; ++k) {
      const i32 column = i32(sorted[k] >> POSITION_BITS);
      const double x = values[sorted[k] & ((i64{1} << POSITION_BITS) - 1)];
      if (column == before) {
        rows.data[end - 1] += x;
      } else {
        rows.columns[end] = column;
        rows.data[end++] = x;
      }
      before = column;
    }
    rows.indptr[i] = end;
  }
  return end;
}

// --- interactions --------------------------------------------------------------------------------

namespace {

// Members of one group in a row.
struct Members {
  std::vector<i32> hashes;
  std::vector<double> data;

  void collect(SparseRows rows, const i16* groups, i64 row, i64 group) {
    hashes.clear();
    data.clear();
    for (i64 p = rows.indptr[row]; p < rows.indptr[row + 1]; ++p) {
      if (groups[p] != group) continue;
      hashes.push_back(rows.columns[p]);
      data.push_back(rows.data[p]);
    }
  }
};

// The number of entries with pairs of a row.
i64 count_entries(SparseRows rows, const i16* groups, i64 row, const std::vector<Pair>& pairs,
                  std::vector<i64>& sizes) {
  const i64 start = rows.indptr[row], stop = rows.indptr[row + 1];
  sizes.assign(sizes.size(), 0);
  for (i64 p = start; p < stop; ++p)
    if (groups[p] >= 0) ++sizes[std::size_t(groups[p])];
  i64 entries = stop - start;
  for (const Pair pair : pairs) {
    const i64 n = sizes[std::size_t(pair.one)], m = sizes[std::size_t(pair.other)];
    entries += pair.one == pair.other ? n * (n + 1) / 2 : n * m;
  }
  return entries;
}

}  // namespace

Crossed add_pairs(SparseRows rows, const i16* groups, const std::vector<Pair>& pairs, i64 n_groups,
                  bool with_parents) {
  Crossed out;
  std::vector<i64> sizes(static_cast<std::size_t>(n_groups));
  i64 total = 0;
  for (i64 row = 0; row < rows.rows; ++row) {
    const i64 entries = count_entries(rows, groups, row, pairs, sizes);
    if (entries > MAX_ENTRIES) {
      out.too_many = row;
      return out;
    }
    total += entries;
  }
  out.columns = Column<i32>(total);
  out.data = Column<double>(total);
  out.indptr = Column<i64>(rows.rows + 1);
  out.parents = Column<i32>(with_parents ? 2 * total : 0);
  i32 *columns = out.columns.data(), *parents = out.parents.data();
  double* data = out.data.data();
  Members first, second;
  i64 end = 0;
  out.indptr[0] = 0;
  for (i64 row = 0; row < rows.rows; ++row) {
    for (i64 p = rows.indptr[row]; p < rows.indptr[row + 1]; ++p, ++end) {
      columns[end] = rows.columns[p];
      data[end] = rows.data[p];
      if (with_parents) parents[2 * end] = parents[2 * end + 1] = 0;
    }
    for (const Pair pair : pairs) {
      const bool same = pair.one == pair.other;
      first.collect(rows, groups, row, pair.one);
      second.collect(rows, groups, row, pair.other);
      for (std::size_t a = 0; a < first.hashes.size(); ++a) {
        const i32 h = first.hashes[a];
        const double x = first.data[a];
        for (std::size_t b = same ? a : 0; b < second.hashes.size(); ++b) {
          const i32 k = second.hashes[b];
          const double value = x * second.data[b];
          if (std::isinf(value)) {
            out.too_large = row;
            return out;
          }
          const bool swapped = same && k < h;
          const i32 one = swapped ? k : h, other = swapped ? h : k;
          columns[end] = i32(u32(one) * 16777619u ^ u32(other));
          data[end] = value;
          if (with_parents) {
            parents[2 * end] = one;
            parents[2 * end + 1] = other;
          }
          end += value != 0.0;
        }
      }
    }
    out.indptr[row + 1] = end;
  }
  out.entries = end;
  return out;
}

// --- collisions ----------------------------------------------------------------------------------

namespace {

constexpr i32 MIN_INT32 = -2147483647 - 1;
constexpr u32 RECENT_SIZE = 1 << 14;  // recent hashes that are not reported again

}  // namespace

std::vector<i64> new_hashes(const i32* hashes, i64 n, const i32* table, int bits) {
  std::vector<i64> positions;
  std::vector<i32> recent(RECENT_SIZE);
  for (i64 i = 0; i < n; ++i) {
    const i32 h = hashes[i] ? hashes[i] : MIN_INT32;
    const i64 cell = 2 * i64(column_of(h, bits));
    if (table[cell] == h || table[cell + 1] != 0) continue;
    i32& last = recent[u32(h) & (RECENT_SIZE - 1)];
    if (last == h) continue;
    last = h;
    positions.push_back(i);
  }
  return positions;
}

void insert_hashes(i32* table, int bits, const i32* hashes, i64 n, bool* is_new) {
  for (i64 i = 0; i < n; ++i) {
    const i32 h = hashes[i] ? hashes[i] : MIN_INT32;
    const i64 cell = 2 * i64(column_of(h, bits));
    const i32 first = table[cell], other = table[cell + 1];
    is_new[i] = first == 0 || (first != h && other == 0);
    if (is_new[i]) table[first == 0 ? cell : cell + 1] = h;
  }
}

}  // namespace rosenblatt::text
