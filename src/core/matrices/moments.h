// Running mean and standard deviation of every column (Welford's recurrence), and rows scaled by
// them: see engine/scaling.py. `centred`: zeros are values of the column; else its mean stays 0.

#pragma once

#include <cmath>
#include <cstdint>

struct Moments {
  std::int64_t* n_seen;
  double *mean, *squares;
  const bool* centred;

  // A value of column j, scaled by the moments so far.
  double scaled(double x, std::int64_t j) const {
    const double distance = x - mean[j];
    if (squares[j] > 0.0) {
      const double variance = squares[j] / double(n_seen[j]);
      if (variance > 0.0) return distance / std::sqrt(variance);  // it may underflow
    }
    return distance;
  }

  // The same after the value was added to the moments.
  double add(double x, std::int64_t j) const {
    n_seen[j] += 1;
    const double distance = x - mean[j];
    if (centred[j]) mean[j] += distance / double(n_seen[j]);
    squares[j] += distance * (x - mean[j]);
    return scaled(x, j);
  }

  bool counts(double x, std::int64_t j) const { return centred[j] || x != 0.0; }
};

// f(feature, position, value) of every entry of a row: position is that in the array of values.
// All entries of a dense row, of which those that are zero may not count.
template <class T>
struct DenseEntries {
  static constexpr bool stored = false;
  const T* X;
  std::int64_t d;
  template <class F>
  void each(std::int64_t i, F f) const {
    for (std::int64_t j = 0; j < d; ++j) f(j, i * d + j, double(X[i * d + j]));
  }
};

template <class T>
struct SparseEntries {
  static constexpr bool stored = true;
  const T* data;
  const std::uint32_t* indices;
  const std::int64_t* indptr;
  template <class F>
  void each(std::int64_t i, F f) const {
    for (std::int64_t p = indptr[i]; p < indptr[i + 1]; ++p)
      f(std::int64_t(indices[p]), p, double(data[p]));
  }
};

// Add row i to the moments; its values, scaled, are written to Z unless that is null.
template <class Entries, class T>
void add_row(const Entries& rows, std::int64_t i, const Moments& moments, T* Z) {
  rows.each(i, [&](std::int64_t j, std::int64_t p, double x) {
    if (!moments.counts(x, j)) return;
    const double z = moments.add(x, j);
    if (Z) Z[p] = T(z);
  });
}

template <class Entries, class T>
void scale_rows(const Entries& rows, const std::int64_t* order, std::int64_t n, const Moments& moments,
                T* Z) {
  for (std::int64_t k = 0; k < n; ++k) add_row(rows, order[k], moments, Z);
}

// Row first + k is scaled into P, then row learned[k], unless negative, is added and scaled into Z.
template <class Entries, class T>
void scale_in_turn(const Entries& rows, const std::int64_t* learned, std::int64_t n, std::int64_t first,
                   const Moments& moments, T* P, T* Z) {
  for (std::int64_t k = 0; k < n; ++k) {
    rows.each(first + k, [&](std::int64_t j, std::int64_t p, double x) {
      if (Entries::stored || moments.counts(x, j)) P[p] = T(moments.scaled(x, j));
    });
    if (learned[k] >= 0) add_row(rows, learned[k], moments, Z);
  }
}
