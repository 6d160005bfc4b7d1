// Vectors of the native width of an instruction set, and their numbers as scalars.
//
// A formula that is written with the functions below holds for one number and for a vector of them,
// with the same bits in each lane: every operation is rounded as IEEE 754 says.

#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define INLINE __attribute__((always_inline)) inline
#define INLINED __attribute__((always_inline))

namespace INSTRUCTION_SET {

using i64 = std::int64_t;
using u32 = std::uint32_t;

#if defined(__AVX512F__)
constexpr int WIDTH = 8;
#elif defined(__AVX__)
constexpr int WIDTH = 4;
#else
constexpr int WIDTH = 2;
#endif

// Classes that move together: weights are padded to a multiple of it. That of engine/state.py.
constexpr int LANES = 8;

constexpr i64 PREFETCH_DISTANCE = 6;  // rows: enough to hide the latency of the memory
constexpr i64 CACHE_LINE = 64;        // bytes

INLINE void prefetch(const void* p) { __builtin_prefetch(p, 0, 3); }

typedef double Doubles __attribute__((vector_size(WIDTH * 8), may_alias));
typedef std::int64_t Masks __attribute__((vector_size(WIDTH * 8), may_alias));
typedef float Floats __attribute__((vector_size(WIDTH * 4), may_alias));
// NumPy aligns to 16 bytes; an array of a state may come from elsewhere and be aligned to 8.
typedef double LooseDoubles __attribute__((vector_size(WIDTH * 8), may_alias, aligned(8)));
typedef std::int64_t LooseMasks __attribute__((vector_size(WIDTH * 8), may_alias, aligned(8)));
typedef float LooseFloats __attribute__((vector_size(WIDTH * 4), may_alias, aligned(4)));

// --- float and double: not __builtin_convertvector, which GCC 12 splits in halves -----------------

INLINE Doubles wide(Doubles x) { return x; }
#if defined(__AVX512F__)
INLINE Doubles wide(Floats x) { return (Doubles)_mm512_cvtps_pd((__m256)x); }
INLINE Floats narrow(Doubles x) { return (Floats)_mm512_cvtpd_ps((__m512d)x); }
INLINE Doubles spread(double x) { return (Doubles)_mm512_set1_pd(x); }
INLINE Floats spread(float x) { return (Floats)_mm256_set1_ps(x); }
#elif defined(__AVX__)
INLINE Doubles wide(Floats x) { return (Doubles)_mm256_cvtps_pd((__m128)x); }
INLINE Floats narrow(Doubles x) { return (Floats)_mm256_cvtpd_ps((__m256d)x); }
INLINE Doubles spread(double x) { return (Doubles)_mm256_set1_pd(x); }
INLINE Floats spread(float x) { return (Floats)_mm_set1_ps(x); }
#elif defined(__x86_64__)
INLINE Doubles wide(Floats x) {
  double bits;
  std::memcpy(&bits, &x, 8);
  return (Doubles)_mm_cvtps_pd(_mm_castpd_ps(_mm_set_sd(bits)));
}
INLINE Floats narrow(Doubles x) {
  Floats result;
  const double bits = _mm_cvtsd_f64(_mm_castps_pd(_mm_cvtpd_ps((__m128d)x)));
  std::memcpy(&result, &bits, 8);
  return result;
}
INLINE Doubles spread(double x) { return (Doubles)_mm_set1_pd(x); }
INLINE Floats spread(float x) { return Floats{x, x}; }
#else
INLINE Doubles wide(Floats x) { return __builtin_convertvector(x, Doubles); }
INLINE Floats narrow(Doubles x) { return __builtin_convertvector(x, Floats); }
INLINE Doubles spread(double x) { return Doubles{x, x}; }
INLINE Floats spread(float x) { return Floats{x, x}; }
#endif

// --- weights of type T, in vectors ---------------------------------------------------------------

template <class T>
struct Vector;
template <>
struct Vector<double> {
  using Type = Doubles;
  using Loose = LooseDoubles;
};
template <>
struct Vector<float> {
  using Type = Floats;
  using Loose = LooseFloats;
};

template <class T>
INLINE typename Vector<T>::Type load(const T* p) {
  return (typename Vector<T>::Type)(*(const typename Vector<T>::Loose*)p);
}
INLINE void store(double* p, Doubles x) { *(LooseDoubles*)p = (LooseDoubles)x; }
INLINE void store(float* p, Doubles x) { *(LooseFloats*)p = (LooseFloats)narrow(x); }
INLINE Masks load_masks(const i64* p) { return (Masks)(*(const LooseMasks*)p); }
INLINE void store_masks(i64* p, Masks x) { *(LooseMasks*)p = (LooseMasks)x; }

// --- formulas of one number and of a vector ------------------------------------------------------

INLINE double pick(bool condition, double a, double b) { return condition ? a : b; }
INLINE Doubles pick(Masks condition, Doubles a, Doubles b) {
  return (Doubles)((condition & (Masks)a) | (~condition & (Masks)b));
}

template <class V>
INLINE V splat(double x) {
  if constexpr (sizeof(V) == sizeof(double)) return x;
  else return spread(x);
}

// max(0, x), min(a, b) and max(a, b) of Python: the first, unless the other is beyond it.
template <class V>
INLINE V positive_part(V x) {
  return pick(x > splat<V>(0.0), x, splat<V>(0.0));
}
template <class V>
INLINE V least(V a, V b) {
  return pick(b < a, b, a);
}
template <class V>
INLINE V greatest(V a, V b) {
  return pick(b > a, b, a);
}

INLINE double root(double x) { return std::sqrt(x); }
#if defined(__AVX512F__)
INLINE Doubles root(Doubles x) { return (Doubles)_mm512_sqrt_pd((__m512d)x); }
#elif defined(__AVX__)
INLINE Doubles root(Doubles x) { return (Doubles)_mm256_sqrt_pd((__m256d)x); }
#elif defined(__x86_64__)
INLINE Doubles root(Doubles x) { return (Doubles)_mm_sqrt_pd((__m128d)x); }
#else
INLINE Doubles root(Doubles x) { return Doubles{std::sqrt(x[0]), std::sqrt(x[1])}; }
#endif

template <class V>
INLINE V magnitude(V x) {
  return pick(x < splat<V>(0.0), -x, x);
}

// f of every number: functions of the C library have no vectors, and the bits of Python's.
template <class F>
INLINE double each_lane(double x, F f) {
  return f(x);
}
template <class F>
INLINE Doubles each_lane(Doubles x, F f) {
  for (int lane = 0; lane < WIDTH; ++lane) x[lane] = f(x[lane]);
  return x;
}

INLINE i64 smaller(i64 a, i64 b) { return b < a ? b : a; }

INLINE bool any(Masks x) {
  i64 result = 0;
  for (int lane = 0; lane < WIDTH; ++lane) result |= x[lane];
  return result != 0;
}

// Rounded to the type of the weights.
template <class T>
INLINE double rounded(double x) {
  return double(T(x));
}
template <class T>
INLINE Doubles rounded(Doubles x) {
  if constexpr (sizeof(T) == sizeof(float)) return wide(narrow(x));
  else return x;
}

}  // namespace INSTRUCTION_SET
