// Min-sums of rows, scores from kernel values, and votes: see engine/kernel/products.py.

#pragma once

// Functions are static: several instruction sets must not share one.

#include <cstdint>

#include "matrices/scores.h"

// min(|a|, |b|) if a and b have the same sign, else 0.
template <class T>
static inline T signed_min(T a, T b) {
  const T least = b < a ? b : a, most = b > a ? b : a;
  return (T(0) > least ? T(0) : least) - (T(0) < most ? T(0) : most);
}

// Add the min-sums of the rows of A, CSR, with those of B, given as Bᵀ in CSR, to sums of m columns.
template <class T>
static void add_sparse_min_sums(const T* data, const std::int64_t* indices, const std::int64_t* indptr,
                                std::int64_t n, const T* data_t, const std::int64_t* indices_t,
                                const std::int64_t* indptr_t, std::int64_t m, T* sums) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t p = indptr[i]; p < indptr[i + 1]; ++p) {
      const std::int64_t j = indices[p];
      for (std::int64_t q = indptr_t[j]; q < indptr_t[j + 1]; ++q)
        sums[i * m + indices_t[q]] += signed_min(data[p], data_t[q]);
    }
}

// The steps of weight vectors, in order, and how many examples survived each.
struct Votes {
  const std::int64_t *slot, *column;
  const double *tau, *survival;
  std::int64_t steps;
  double bias;
};

// votes[r] += Σ_m survival[m] · sign(score of row r after m steps), with sign(0) = tie.
template <class T>
static void add_votes(const T* values, std::int64_t n, std::int64_t S, const Votes& of, double tie,
                      double* votes) {
  for (std::int64_t r = 0; r < n; ++r) {
    double score = 0.0, vote = tie * of.survival[0];
    for (std::int64_t m = 0; m < of.steps; ++m) {
      score += of.tau[m] * (double(values[r * S + of.slot[m]]) + of.bias);
      const double survived = of.survival[m + 1];
      if (score > 0.0) vote += survived;
      else if (score < 0.0) vote -= survived;
      else vote += tie * survived;
    }
    votes[r] += vote;
  }
}

// The same, each vote for the class with the highest score; `scores` has room for K numbers.
template <class T>
static void add_votes_jointly(const T* values, std::int64_t n, std::int64_t S, const Votes& of,
                              std::int64_t K, double* scores, double* votes) {
  for (std::int64_t r = 0; r < n; ++r) {
    for (std::int64_t k = 0; k < K; ++k) scores[k] = 0.0;
    for (std::int64_t m = 0; m < of.steps; ++m) {
      scores[of.column[m]] += of.tau[m] * (double(values[r * S + of.slot[m]]) + of.bias);
      if (of.survival[m] > 0.0) votes[r * K + best_of(scores, K)] += of.survival[m];
    }
  }
}
