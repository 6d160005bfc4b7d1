// The structure of sparse rows: whether it is sound, and that of a dense matrix of mostly zeros.

#pragma once

#include <cstdint>

// Whether the rows are contiguous within `capacity`, with increasing indices below d.
inline bool is_canonical(const std::uint32_t* indices, const std::int64_t* indptr, std::int64_t n,
                         std::int64_t capacity, std::int64_t d) {
  std::int64_t faults = 0, end = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t start = indptr[i], stop = indptr[i + 1];
    if (start != end || stop < start || stop > capacity) return false;
    end = stop;
    if (stop == start) continue;
    faults += std::int64_t(indices[stop - 1]) >= d;
    for (std::int64_t p = start + 1; p < stop; ++p) faults += indices[p] <= indices[p - 1];
  }
  return faults == 0;
}

// Write the values that are not zero, and their columns; false if they may not fit into `capacity`.
template <class T>
bool compress(const T* X, std::int64_t n, std::int64_t d, T* data, std::uint32_t* indices,
              std::int64_t capacity, std::int64_t* indptr) {
  std::int64_t p = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (p + d > capacity) return false;
    for (std::int64_t j = 0; j < d; ++j) {
      const T x = X[i * d + j];
      data[p] = x;  // overwritten by the next value if it is zero: faster than a branch
      indices[p] = std::uint32_t(j);
      p += x != 0;
    }
    indptr[i + 1] = p;
  }
  return true;
}
