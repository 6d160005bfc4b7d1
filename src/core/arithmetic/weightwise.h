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
INLINE double defined(double value) { return value == value ? clipped(value, LARGEST_NUMBER) : 0.0; }

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

// What R keeps for each weight vector, and whether it takes parts of steps.
template <class R, class = void>
struct CountsOf {
  static constexpr int number = 0;
};
template <class R>
struct CountsOf<R, decltype(void(R::counts))> {
  static constexpr int number = R::counts;
};
template <class R, class = void>
struct HasPart {
  static constexpr bool value = false;
};
template <class R>
struct HasPart<R, decltype(void(R::takes_parts))> {
  static constexpr bool value = true;
};

// Keep new counts of the columns that move.
template <class V>
INLINE void store_counts(const Walk& walk, i64 k, const i64* which, const V* counts, int counted) {
  const auto moves = moves_as(which + k, V{});
  for (int c = 0; c < counted; ++c) {
    const V old = load_as(walk.counts[c] + k, V{});
    store_as(walk.counts[c] + k, pick(moves, moved_number(old, counts[c]), old));
  }
}

// Move the weights of column k, or of WIDTH columns from k on, by f(w, numbers, counts, x) for every
// x that is not zero, where `moves` says so. NUMBERS, COUNTS: how many there are; if NUMBERS is 0,
// the walk says it. COUNTING: f changes the counts, too.
template <class T, class V, int NUMBERS, int COUNTS, bool COUNTING, class F>
INLINE void walk_columns(const Walk& walk, i64 k, const i64* which, F f) {
  const T* values = (const T*)walk.values;
  T* W = (T*)walk.W;
  const int size = NUMBERS ? NUMBERS : walk.size, counted = NUMBERS ? COUNTS : walk.counted;
  V counts[MOST_COUNTS];
  for (int c = 0; c < counted; ++c) counts[c] = load_as(walk.counts[c] + k, V{});
  const V area = walk.area ? load_as(walk.area + k, V{}) : splat<V>(walk.t);
  const auto moves = moves_as(which + k, V{});
  for (i64 q = 0; q < walk.count; ++q) {
    if (!is_nonzero(values[q])) continue;
    const i64 at = (walk.indices ? i64(walk.indices[q]) : q) * walk.P + k;
    const V before = load_as(W + at, V{});
    V w = before, numbers[MOST_NUMBERS], old[MOST_NUMBERS];
    for (int s = 0; s < size; ++s) numbers[s] = old[s] = load_as(walk.numbers[s] + at, V{});
    f(w, numbers, counts, splat<V>(double(values[q])));
    w = rounded<T>(pick(moves, moved_weight(before, w, Limits<T>::largest_move), before));
    store_as(W + at, w);
    for (int s = 0; s < size; ++s)
      store_as(walk.numbers[s] + at, pick(moves, moved_number(old[s], numbers[s]), old[s]));
    if (walk.U) store_as(walk.U + at, load_as(walk.U + at, V{}) + area * (w - before));
  }
  if constexpr (COUNTING) store_counts(walk, k, which, counts, counted);
}

// The sum of x times what a whole step would add to its weight, of column k or of WIDTH columns.
template <class T, class V, int NUMBERS, int COUNTS, class F>
INLINE V walked_change(const Walk& walk, i64 k, V total, F f) {
  const T* values = (const T*)walk.values;
  const T* W = (const T*)walk.W;
  const int size = NUMBERS ? NUMBERS : walk.size, counted = NUMBERS ? COUNTS : walk.counted;
  V counts[MOST_COUNTS];
  for (int c = 0; c < counted; ++c) counts[c] = load_as(walk.counts[c] + k, V{});
  for (i64 q = 0; q < walk.count; ++q) {
    if (!is_nonzero(values[q])) continue;
    const i64 at = (walk.indices ? i64(walk.indices[q]) : q) * walk.P + k;
    const V before = load_as(W + at, V{}), x = splat<V>(double(values[q]));
    V w = before, numbers[MOST_NUMBERS];
    for (int s = 0; s < size; ++s) numbers[s] = load_as(walk.numbers[s] + at, V{});
    f(w, numbers, counts, x);
    total += x * (moved_weight(before, w, Limits<T>::largest_move) - before);
  }
  return total;
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

// R::touch and R::move, with what R declares.
template <class R, class V>
INLINE void touch_weight(const double* p, V& w, V* s, V* counts, V x) {
  if constexpr (CountsOf<R>::number > 0) R::touch(p, w, s, counts, x);
  else R::touch(p, w, s, x);
}
template <class R, class V>
INLINE void move_weight(const double* p, V& w, V* s, const V* counts, V x, V g, V part) {
  if constexpr (CountsOf<R>::number > 0 && HasPart<R>::value) R::move(p, w, s, counts, x, g, part);
  else if constexpr (CountsOf<R>::number > 0) R::move(p, w, s, counts, x, g);
  else if constexpr (HasPart<R>::value) R::move(p, w, s, x, g, part);
  else R::move(p, w, s, x, g);
}

// What R keeps for each weight vector, before a row is touched, by R::begin.
template <class R>
void begin_columns(const double* p, const Walk& walk, const i64* which) {
  constexpr int COUNTS = CountsOf<R>::number;
  each_vector(walk, which, [&](auto lanes, i64 k) {
    using V = decltype(lanes);
    V counts[MOST_COUNTS];
    for (int c = 0; c < COUNTS; ++c) counts[c] = load_as(walk.counts[c] + k, V{});
    R::begin(p, counts);
    store_counts(walk, k, which, counts, COUNTS);
  });
}

// The weights of a row before its score, by R::touch.
template <class R>
void touch_columns(const double* p, const Walk& walk, const i64* which) {
  constexpr int COUNTS = CountsOf<R>::number;
  each_vector(walk, which, [&](auto lanes, i64 k) {
    using V = decltype(lanes);
    const auto touch = [&](V& w, V* s, V* c, V x) { touch_weight<R>(p, w, s, c, x); };
    if (walk.single) walk_columns<float, V, R::numbers, COUNTS, (COUNTS > 0)>(walk, k, which, touch);
    else walk_columns<double, V, R::numbers, COUNTS, (COUNTS > 0)>(walk, k, which, touch);
  });
}

// The weights of a row after its score, by R::move with a derivative for each column, and a part.
template <class R>
void move_columns(const double* p, const Walk& walk, const i64* which, const double* gradients,
                  const double* parts) {
  constexpr int COUNTS = CountsOf<R>::number;
  each_vector(walk, which, [&](auto lanes, i64 k) {
    using V = decltype(lanes);
    const V g = load_as(gradients + k, V{});
    const V part = HasPart<R>::value ? load_as(parts + k, V{}) : splat<V>(1.0);
    const auto move = [&](V& w, V* s, V* c, V x) { move_weight<R>(p, w, s, c, x, g, part); };
    if (walk.single) walk_columns<float, V, R::numbers, COUNTS, false>(walk, k, which, move);
    else walk_columns<double, V, R::numbers, COUNTS, false>(walk, k, which, move);
  });
}

// By how much whole steps of R would change the scores of a row.
template <class R>
void add_changes(const double* p, const Walk& walk, const double* gradients, double* changes) {
  constexpr int COUNTS = CountsOf<R>::number;
  const auto add = [&](auto lanes, i64 k) {
    using V = decltype(lanes);
    const V g = load_as(gradients + k, V{}), before = load_as(changes + k, V{});
    const auto move = [&](V& w, V* s, V* c, V x) { move_weight<R>(p, w, s, c, x, g, splat<V>(1.0)); };
    store_as(changes + k, walk.single
                              ? walked_change<float, V, R::numbers, COUNTS>(walk, k, before, move)
                              : walked_change<double, V, R::numbers, COUNTS>(walk, k, before, move));
  };
  if (walk.P == 1) return add(0.0, 0);
  for (i64 k = 0; k < walk.K; k += WIDTH) add(Doubles{}, k);
}

// The same by the methods of a rule of a user's, which see one weight at a time.
inline void call_counts(const Rule& rule, const double* p, const Walk& walk, const i64* which) {
  for (i64 k = 0; k < walk.K; ++k) {
    if (!which[k]) continue;
    double counts[MOST_COUNTS];
    for (int c = 0; c < walk.counted; ++c) counts[c] = walk.counts[c][k];
    rule.begin_one(p, counts);
    store_counts(walk, k, which, counts, walk.counted);
  }
}
inline void call_columns(const Rule& rule, const double* p, const Walk& walk, const i64* which,
                         const double* gradients, const double* parts) {
  for (i64 k = 0; k < walk.K; ++k) {
    if (!which[k]) continue;
    const auto call = [&](double& w, double* s, double* c, double x) {
      if (gradients) rule.move_one(p, w, s, c, x, gradients[k], parts ? parts[k] : 1.0);
      else rule.touch_one(p, w, s, c, x);
    };
    if (walk.single) walk_columns<float, double, 0, 0, true>(walk, k, which, call);
    else walk_columns<double, double, 0, 0, true>(walk, k, which, call);
  }
}
inline void call_changes(const Rule& rule, const double* p, const Walk& walk, const double* gradients,
                         double* changes) {
  for (i64 k = 0; k < walk.K; ++k) {
    if (gradients[k] == 0.0) continue;
    const auto call = [&](double& w, double* s, double* c, double x) {
      rule.move_one(p, w, s, c, x, gradients[k], 1.0);
    };
    changes[k] = walk.single ? walked_change<float, double, 0, 0>(walk, k, changes[k], call)
                             : walked_change<double, double, 0, 0>(walk, k, changes[k], call);
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
