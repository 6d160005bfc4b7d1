// Walks over a row for several vectors of classes at once, as many as the registers hold.

#pragma once

#include "arithmetic/lanes.h"

namespace INSTRUCTION_SET {

// Vectors of sums that stay in registers: of each of four dense rows, and of a sparse row.
constexpr int DENSE_VECTORS = WIDTH == 8 ? 6 : 3;
constexpr int SPARSE_VECTORS = WIDTH == 8 ? 16 : 12;

template <bool B>
struct Constant {
  constexpr operator bool() const { return B; }
};
template <int N>
struct Size {
  constexpr operator int() const { return N; }
};

// f(Size<n>(), k) with the number n as a constant, 1 ≤ n ≤ MOST.
template <int MOST, class F>
INLINE void with_size(int n, F& f, i64 k) {
  if constexpr (MOST > 0) {
    if (n == MOST) f(Size<MOST>(), k);
    else with_size<MOST - 1>(n, f, k);
  }
}

// f for passes of at most MOST vectors, of nearly equal sizes; k is the first class of a pass.
template <int MOST, class F>
INLINE void in_passes(int vectors, F f) {
  const int passes = (vectors + MOST - 1) / MOST;
  int start = 0;
  for (int left = passes; left > 0; --left) {
    const int size = (vectors - start + left - 1) / left;
    with_size<MOST>(size, f, start * WIDTH);
    start += size;
  }
}

// The dot products of the next rows, and their squared norms if wanted; returns how many. `fetch`: the
// weights of the next row are loaded on the way; for a W that no cache holds. Its passes, of each
// number of vectors, are compiled once, in score_rows.cpp.
template <class Rows, class U>
int score_rows(const Rows& rows, const i64* order, i64 n, i64 m, const U* W, i64 P, int vectors,
               double* dots, bool fetch = false, double* squares = nullptr, bool wanted = false);

template <class T>
INLINE typename Vector<T>::Type narrowed(Doubles x) {
  if constexpr (sizeof(T) == sizeof(float)) return narrow(x);
  else return x;
}
INLINE void store_exact(double* p, Doubles x) { *(LooseDoubles*)p = (LooseDoubles)x; }
INLINE void store_exact(float* p, Floats x) { *(LooseFloats*)p = (LooseFloats)x; }

}  // namespace INSTRUCTION_SET
