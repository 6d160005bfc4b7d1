// Weights that a rule moves by numbers of its own: walks over a row and a weight vector, or several
// in vectors, with limits so that nothing leaves the float range. Where no limit is met, the bits are
// those of the formulas.
//
// The intercept is the weight of a row with the one number 1.

#pragma once

#include "arithmetic/columns.h"
#include "arithmetic/dense.h"

namespace INSTRUCTION_SET {

constexpr double LARGEST_NUMBER = 1e300;  // of a rule, and of what it keeps: 1e150 has a square

template <class V>
INLINE V clipped(V value, double largest) {
  value = pick(value > splat<V>(largest), splat<V>(largest), value);
  return pick(value < splat<V>(-largest), splat<V>(-largest), value);
}

// 0 for what is no number: a score or a variance that left the range says nothing.
INLINE double defined(double value) {
  return value == value ? clipped(value, LARGEST_NUMBER) : 0.0;
}

// What a weight becomes: by a move of at most `largest`, or, for what is no number, by none.
template <class V>
INLINE V moved_weight(V before, V after, double largest) {
  const V step = after - before, most = splat<V>(largest);
  after = pick(step == step, after, before);
  after = pick(step > most, before + most, after);
  return pick(step < -most, before - most, after);
}

template <class V>
INLINE V moved_number(V before, V after) {
  return clipped(pick(after == after, after, before), LARGEST_NUMBER);
}

// One number of an array, or a vector of them; whether it is to move. The last argument says which.
template <class T>
INLINE double load_as(const T* p, double) {
  return double(*p);
}
template <class T>
INLINE Doubles load_as(const T* p, Doubles) {
  return wide(load(p));
}
template <class T>
INLINE void store_as(T* p, double x) {
  *p = T(x);
}
template <class T>
INLINE void store_as(T* p, Doubles x) {
  store(p, x);
}
INLINE bool moves_as(const i64* which, double) { return *which != 0; }
INLINE Masks moves_as(const i64* which, Doubles) { return load_masks(which); }

// Move the weights of column k, or of WIDTH columns from k on, by f(w, numbers, x) for every x that
// is not zero, where `moves` says so. NUMBERS: how many there are; 0 if the walk says it.
template <class T, class V, int NUMBERS, class F>
INLINE void walk_columns(const Walk& walk, i64 k, const i64* which, F f) {
  const T* values = (const T*)walk.values;
  T* W = (T*)walk.W;
  const int size = NUMBERS ? NUMBERS : walk.size;
  const V area = walk.area ? load_as(walk.area + k, V{}) : splat<V>(walk.t);
  const auto moves = moves_as(which + k, V{});
  for (i64 q = 0; q < walk.count; ++q) {
    if (!is_nonzero(values[q])) continue;
    const i64 at = (walk.indices ? i64(walk.indices[q]) : q) * walk.P + k;
    const V before = load_as(W + at, V{});
    V w = before, numbers[MOST_NUMBERS], old[MOST_NUMBERS];
    for (int s = 0; s < size; ++s) numbers[s] = old[s] = load_as(walk.numbers[s] + at, V{});
    f(w, numbers, splat<V>(double(values[q])));
    w = rounded<T>(pick(moves, moved_weight(before, w, Limits<T>::largest_move), before));
    store_as(W + at, w);
    for (int s = 0; s < size; ++s)
      store_as(walk.numbers[s] + at, pick(moves, moved_number(old[s], numbers[s]), old[s]));
    if (walk.U) store_as(walk.U + at, load_as(walk.U + at, V{}) + area * (w - before));
  }
}

// f(V, k) for every column that moves: one by one, or in vectors.
template <class F>
INLINE void each_vector(const Walk& walk, const i64* which, F f) {
  if (walk.P == 1) {
    if (which[0]) f(0.0, 0);
    return;
  }
  for (i64 k = 0; k < walk.K; k += WIDTH)
    if (any(load_masks(which + k))) f(Doubles{}, k);
}

// The weights of a row before its score, by R::touch.
template <class R>
void touch_columns(const double* p, const Walk& walk, const i64* which) {
  each_vector(walk, which, [&](auto lanes, i64 k) {
    using V = decltype(lanes);
    const auto touch = [&](V& w, V* s, V x) { R::touch(p, w, s, x); };
    if (walk.single) walk_columns<float, V, R::numbers>(walk, k, which, touch);
    else walk_columns<double, V, R::numbers>(walk, k, which, touch);
  });
}

// The weights of a row after its score, by R::move with a derivative for each column.
template <class R>
void move_columns(const double* p, const Walk& walk, const i64* which, const double* gradients) {
  each_vector(walk, which, [&](auto lanes, i64 k) {
    using V = decltype(lanes);
    const V g = load_as(gradients + k, V{});
    const auto move = [&](V& w, V* s, V x) { R::move(p, w, s, x, g); };
    if (walk.single) walk_columns<float, V, R::numbers>(walk, k, which, move);
    else walk_columns<double, V, R::numbers>(walk, k, which, move);
  });
}

// The same by the methods of a rule of a user's, which see one weight at a time.
inline void call_columns(const Rule& rule, const double* p, const Walk& walk, const i64* which,
                         const double* gradients) {
  for (i64 k = 0; k < walk.K; ++k) {
    if (!which[k]) continue;
    const auto call = [&](double& w, double* s, double x) {
      if (gradients) rule.move_one(p, w, s, x, gradients[k]);
      else rule.touch_one(p, w, s, x);
    };
    if (walk.single) walk_columns<float, double, 0>(walk, k, which, call);
    else walk_columns<double, double, 0>(walk, k, which, call);
  }
}

// Σ x_j² rate(numbers of weight j) of column k.
template <class T>
double walked_variance(const Rule& rule, const double* p, const Walk& walk, i64 k) {
  const T* values = (const T*)walk.values;
  double total = 0.0;
  for (i64 q = 0; q < walk.count; ++q) {
    const double x = double(values[q]);
    if (x == 0.0) continue;
    const i64 at = (walk.indices ? i64(walk.indices[q]) : q) * walk.P + k;
    double numbers[MOST_NUMBERS];
    for (int s = 0; s < walk.size; ++s) numbers[s] = walk.numbers[s][at];
    total += x * x * rule.rate_one(p, numbers);
  }
  return total;
}

}  // namespace INSTRUCTION_SET
