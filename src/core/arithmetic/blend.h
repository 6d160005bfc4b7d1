// Three second-order logistic learners, and a logistic regression on their scores that blends them.
//
// A learner e has a prior precision r_e, in units of the columns, and forgets the share f_e of a
// precision at each touch. It learns z_j = x_j − μ_j, where μ_j is the mean of a column that is dense,
// else 0; M_j is the largest |z_j| so far. With p_k the learner's own probability of class k,
// g_k = p_k − y_k, h_k = p_k (1 − p_k), and V_k the variance of its score:
//
//   V_k = Σ z_j²/(r M_j² + D_jk),  w_jk −= g_k z_j/((r M_j² + D_jk) (1 + h_k V_k)),
//   D_jk ← (1 − f) D_jk + h_k z_j²
//
// (with a larger h in the step of a row that was far on the wrong side, see curvature). That is a step
// of Newton's method a row on the logistic loss with a diagonal Hessian, or the extended Kalman
// filter's. The weight of an example multiplies its g and h. To multiply a column by a number divides
// its w by it and changes nothing else. All sums are in the order of the row's entries, then of the
// dense columns that it lacks, then the intercept, the weight of z = 1.

#pragma once

#include <cstdlib>
#include <new>

#include "arithmetic/multi.h"

namespace INSTRUCTION_SET {

// r and f: bold and cautious without end, and one that forgets within some hundred rows. That of
// theory/rules/auto.py, which says why.
constexpr double PRIORS[EXPERTS] = {0.3, 3.0, 1.0};
constexpr double FORGETS[EXPERTS] = {0.0, 1e-3, 1e-2};
constexpr double BLEND_FORGETS = 1e-3;                 // of the precision of the blend, at each row
constexpr double LEAST_TRUST = 0.5, TRUST_ROWS = 1e3;  // the sum of the coefficients, in so many rows
constexpr double DENSE = 0.5, SPARSE = 0.25;  // shares at which a column becomes dense, and sparse
constexpr double NOTHING = 1e-9;              // a part of |x|: below it, x − μ is a rounding error
constexpr double LEAST_CHANCE = 1e-16;        // of a label: odds beyond it are rounding errors
constexpr double LARGEST_SCORE = 1e2;         // in the learning of the blend: e^−100 is no probability
constexpr double LARGEST_ENTRY = 1e140, LEAST_ENTRY = 1e-140;  // of |z|: r M² and 1/(r M²) are finite
constexpr double LARGEST_FACTOR = 1e9;                         // of g and h, by the weight of an example
constexpr double LARGEST_WEIGHT = 1e150;  // a w of the learners: its product with z is finite
constexpr double LARGEST_FLOAT = 1e37;    // a weight of type float
constexpr i64 FEW_WEIGHTS = 8;            // for each number of the rows: all are written at the end

// Four numbers: those of the three learners of two classes, and one more that stays.
typedef double Quads __attribute__((vector_size(32), may_alias));
typedef double LooseQuads __attribute__((vector_size(32), may_alias, aligned(8)));
INLINE Doubles lanes_at(const double* p, Doubles) { return load(p); }
INLINE void put_lanes(double* p, Doubles x) { store(p, x); }
#if !defined(__AVX__) || defined(__AVX512F__)  // else Doubles are four, too
INLINE Quads lanes_at(const double* p, Quads) { return (Quads)(*(const LooseQuads*)p); }
INLINE void put_lanes(double* p, Quads x) { *(LooseQuads*)p = (LooseQuads)x; }
#endif
template <class V>
INLINE V within(V x, double largest) {
  const V most = V{} + largest;
  x = x > most ? most : x;
  return x < -most ? -most : x;
}

// What the learners keep of a column, in one run of memory: of two classes a line of the cache,
// {w, w, w, M, D, D, D, Σ n where x is not 0}; of P, EXPERTS · P weights, as many precisions, M and
// that sum. The first is that of the intercept, column −1.
struct Blend {
  const BlendView view;
  i64 d, P, K, slots, stride;

  explicit Blend(const StateView& s, i64 K)
      : view(s.blend), d(s.d), P(s.P), K(K), slots(blend_slots(s.P)), stride(blend_stride(s.P)) {}

  double* weights(i64 j) const { return view.columns + (j + 1) * stride; }
  double* precisions(i64 j) const { return weights(j) + slots; }
  double& largest(i64 j) const { return weights(j)[P == 1 ? EXPERTS : 2 * slots]; }
  double& present(i64 j) const { return weights(j)[P == 1 ? slots + EXPERTS : 2 * slots + 1]; }
  // Of a dense column, over the rows n since it became dense: Σ n x and Σ n, else 0.
  double& sum(i64 j) const { return view.sums[2 * j]; }
  double& weight(i64 j) const { return view.sums[2 * j + 1]; }
  i64& seen(i64 j) const { return view.seen[j]; }  // the last such n in which x is not 0
  double& rows() const { return view.totals[0]; }
  double& total() const { return view.totals[1]; }      // Σ n
  i64& dense_columns() const { return view.lists[0]; }  // −1: to be found
  i64& stale() const { return view.lists[1]; }
  double coefficient(int e) const { return 1.0 / EXPERTS + view.coefficients[e]; }
  double constant() const { return K == 1 ? view.coefficients[EXPERTS] : 0.0; }

  // The mean of a dense column. Row n counts n times, so that old rows fade.
  double mean(i64 j) const { return sum(j) / weight(j); }
  void count(i64 j, double n, double x) const {
    sum(j) = clipped(sum(j) + n * x, LARGEST_NUMBER);
    weight(j) += n;
  }

  // The list of the dense columns, of a state that is new or was mixed.
  void find_dense() const {
    if (dense_columns() >= 0) return;
    i64 size = 0;
    for (i64 j = 0; j < d; ++j)
      if (weight(j) > 0.0) view.dense[size++] = j;
      else sum(j) = weight(j) = 0.0;  // shards in which it became sparse took it away several times
    dense_columns() = size;
  }
};

// Numbers of each slot, a learner and a class: of two classes the fourth slot has M, which stays.
struct Slots {
  double *scores, *variances, *alphas, *betas, *priors, *kept;

  Slots(const Blend& blend, double* work) {
    const auto take = [&] {
      double* numbers = work;
      work += blend.slots;
      return numbers;
    };
    scores = take(), variances = take(), alphas = take(), betas = take(), priors = take(), kept = take();
    for (i64 at = 0; at < blend.slots; ++at) {
      const i64 e = at / blend.P;
      priors[at] = e < EXPERTS ? PRIORS[e] : 1.0;
      kept[at] = e < EXPERTS ? 1.0 - FORGETS[e] : 1.0;
      alphas[at] = betas[at] = 0.0;
    }
  }
};

// A row as it is learned: columns and z, the intercept last, as column −1, and the rates
// 1/(r M² + D) of all slots. Its memory is not that of a container: those of the standard library are
// templates that several instruction sets would share.
class CentredRow {
 public:
  i64 size = 0;
  i64* columns = nullptr;
  double *z = nullptr, *rates = nullptr;

  explicit CentredRow(i64 slots) : slots_(slots) {}
  CentredRow(const CentredRow&) = delete;
  ~CentredRow() { std::free(columns), std::free(z), std::free(rates); }

  void add(i64 j, double value) {
    if (size == room_) {
      room_ = 2 * room_ + 64;
      columns = resized(columns, room_), z = resized(z, room_);
      rates = resized(rates, room_ * slots_);
    }
    columns[size] = j, z[size++] = value;
  }

 private:
  template <class N>
  static N* resized(N* numbers, i64 room) {
    void* result = std::realloc(numbers, std::size_t(room) * sizeof(N));
    if (!result) throw std::bad_alloc();
    return (N*)result;
  }
  i64 room_ = 0, slots_;
};

// M grows: the weights of column j become those that its data would have had with the larger prior.
INLINE void grow(const Blend& blend, const Slots& of, i64 j, double largest) {
  double *w = blend.weights(j), before = blend.largest(j) * blend.largest(j);
  const double *D = blend.precisions(j), after = largest * largest;
  for (i64 at = 0; at < EXPERTS * blend.P; ++at)
    w[at] *= (of.priors[at] * before + D[at]) / (of.priors[at] * after + D[at]);
}

// One column of a row; of a row that is learned, M grows first.
INLINE void add_column(const Blend& blend, const Slots& of, i64 j, double x, double mean, bool learns,
                       CentredRow& row) {
  const double z = clipped(x - mean, LARGEST_ENTRY), size = std::fabs(z);
  if (size < LEAST_ENTRY || size <= NOTHING * greatest(std::fabs(x), std::fabs(mean))) return;
  double& largest = blend.largest(j);
  if (learns && size > largest) {
    if (largest > 0.0) grow(blend, of, j, size);
    largest = size;
  }
  if (largest > 0.0) row.add(j, z);
}

// Row i as it is learned. Sums of its columns count it first. `centres`: the model has an intercept,
// which takes up the means.
template <class Rows>
void centre_row(const Blend& blend, const Slots& of, const Rows& rows, i64 i, bool learns, bool centres,
                CentredRow& row) {
  row.size = 0;
  if (learns) blend.rows() += 1.0, blend.total() += blend.rows();
  const double n = blend.rows(), total = blend.total();
  const i64 now = learns ? i64(n) : -1;
  rows.each(i, [&](i64 j, auto value) {
    if (!is_nonzero(value)) return;
    const double x = double(value);
    if (learns) blend.present(j) += n;
    const double present = blend.present(j);
    double mean = 0.0;
    if (centres && present >= SPARSE * total) {  // else it is not dense
      if (learns && blend.weight(j) == 0.0 && present >= DENSE * total &&
          blend.dense_columns() < blend.d)
        blend.view.dense[blend.dense_columns()++] = j, blend.weight(j) = n, blend.sum(j) = n * x;
      else if (learns && blend.weight(j) > 0.0) blend.count(j, n, x);
      if (blend.weight(j) > 0.0) blend.seen(j) = now, mean = blend.mean(j);
    }
    add_column(blend, of, j, x, mean, learns, row);
  });
  i64 kept = 0;
  for (i64 at = 0; at < blend.dense_columns(); ++at) {
    const i64 j = blend.view.dense[at];
    if (blend.seen(j) != now) {
      if (learns && blend.present(j) < SPARSE * total) {
        blend.sum(j) = blend.weight(j) = 0.0;
        continue;
      }
      if (learns) blend.count(j, n, 0.0);
      add_column(blend, of, j, 0.0, blend.mean(j), learns, row);
    }
    blend.view.dense[kept++] = j;
  }
  blend.dense_columns() = kept;
  if (!learns)
    for (i64 at = 0; at < kept; ++at) blend.seen(blend.view.dense[at]) = 0;
  if (centres) row.add(-1, 1.0);
}

// Ask for what a row needs of the state, while the row before is learned: its columns are anywhere.
template <class Rows>
INLINE void prefetch_columns(const Blend& blend, const Rows& rows, i64 i) {
  const i64 bytes = blend.stride * i64(sizeof(double));
  rows.each(i, [&](i64 j, auto value) {
    if (!is_nonzero(value)) return;
    const char* column = (const char*)blend.weights(j);
    for (i64 at = 0; at < bytes; at += CACHE_LINE) prefetch(column + at);
  });
}

// Scores and variances of N vectors of slots; the rates are kept for the step.
template <class V, int N>
INLINE void score_slots(V, Size<N>, const Blend& blend, const Slots& of, CentredRow& row, i64 first) {
  constexpr i64 width = sizeof(V) / sizeof(double);
  V s[N] = {}, v[N] = {}, priors[N];
  for (int n = 0; n < N; ++n) priors[n] = lanes_at(of.priors + first + n * width, V{});
  for (i64 q = 0; q < row.size; ++q) {
    const i64 j = row.columns[q];
    const double *w = blend.weights(j) + first, *D = blend.precisions(j) + first, z = row.z[q];
    const double largest = j < 0 ? 1.0 : blend.largest(j), unit = largest * largest;
    double* rates = row.rates + q * blend.slots + first;
    for (int n = 0; n < N; ++n) {
      const V rate = 1.0 / (priors[n] * unit + lanes_at(D + n * width, V{}));
      put_lanes(rates + n * width, rate);
      s[n] += z * lanes_at(w + n * width, V{});
      v[n] += (z * z) * rate;
    }
  }
  for (int n = 0; n < N; ++n) {
    put_lanes(of.scores + first + n * width, s[n]);
    put_lanes(of.variances + first + n * width, v[n]);
  }
}

// w −= α rate z, D ← (1 − f) D + β z², of N vectors of slots.
template <class V, int N>
INLINE void move_slots(V, Size<N>, const Blend& blend, const Slots& of, const CentredRow& row,
                       i64 first) {
  constexpr i64 width = sizeof(V) / sizeof(double);
  V alphas[N], betas[N], kept[N];
  for (int n = 0; n < N; ++n) {
    alphas[n] = lanes_at(of.alphas + first + n * width, V{});
    betas[n] = lanes_at(of.betas + first + n * width, V{});
    kept[n] = lanes_at(of.kept + first + n * width, V{});
  }
  for (i64 q = 0; q < row.size; ++q) {
    const double z = row.z[q], *rates = row.rates + q * blend.slots + first;
    double *w = blend.weights(row.columns[q]) + first, *D = blend.precisions(row.columns[q]) + first;
    for (int n = 0; n < N; ++n) {
      const V step = alphas[n] * lanes_at(rates + n * width, V{}) * z;
      const V precision = kept[n] * lanes_at(D + n * width, V{}) + betas[n] * (z * z);
      put_lanes(w + n * width, within(lanes_at(w + n * width, V{}) - step, LARGEST_WEIGHT));
      put_lanes(D + n * width, within(precision, LARGEST_NUMBER));
    }
  }
}

inline void score_row(const Blend& blend, const Slots& of, CentredRow& row) {
  if (blend.P == 1) score_slots(Quads{}, Size<1>(), blend, of, row, 0);
  else
    for (i64 at = 0; at < blend.slots; at += EXPERTS * WIDTH)
      score_slots(Doubles{}, Size<EXPERTS>(), blend, of, row, at);
}
inline void move_row(const Blend& blend, const Slots& of, const CentredRow& row) {
  if (blend.P == 1) move_slots(Quads{}, Size<1>(), blend, of, row, 0);
  else
    for (i64 at = 0; at < blend.slots; at += EXPERTS * WIDTH)
      move_slots(Doubles{}, Size<EXPERTS>(), blend, of, row, at);
}

// The probabilities of K classes, or that of the second of two; returns −log p(label).
inline double probabilities(const double* scores, i64 K, i64 label, double* p) {
  if (K == 1) {
    const double y = label ? 1.0 : -1.0;
    p[0] = OfLogistic::chance_of_other(scores[0], -1.0);
    return OfLogistic::loss(nullptr, scores[0], y);
  }
  double most = scores[0], sum = 0.0;
  for (i64 k = 1; k < K; ++k) most = greatest(most, scores[k]);
  for (i64 k = 0; k < K; ++k) sum += p[k] = std::exp(scores[k] - most);
  for (i64 k = 0; k < K; ++k) p[k] /= sum;
  return std::log(sum) - (scores[label] - most);
}

// The curvature of a step with the gradient ±g: h, or more where the label had less than half of the
// probability. There the loss is nearly straight, and a step by h would leap far beyond the label:
// now it ends where the label is likelier than not, at odds of e² at most.
INLINE double curvature(double g, double h) {
  return g > 0.5 ? g / (2.0 + std::log(g / greatest(1.0 - g, LEAST_CHANCE))) : h;
}

// One step of Newton's method on the loss of Σ a_e s_e, a constant for two classes: its precision is
// I + Λ, which fades to I; a += (I + Λ)⁻¹ gradient.
inline void learn_blend(const Blend& blend, const double* scores, const double* p, i64 label,
                        double weight, bool has_constant) {
  const i64 K = blend.K, P = blend.P;
  const int size = K == 1 && has_constant ? TERMS : EXPERTS;
  double mean[TERMS] = {}, gradient[TERMS], H[TERMS][TERMS];
  const auto term = [&](int e, i64 k) {
    return e == EXPERTS ? 1.0 : clipped(scores[e * P + k], LARGEST_SCORE);
  };
  if (K == 1) {
    const double g = (label ? 1.0 : 0.0) - p[0], h = p[0] * (1.0 - p[0]);
    for (int a = 0; a < size; ++a) {
      gradient[a] = g * term(a, 0);
      for (int b = 0; b <= a; ++b) H[a][b] = h * (term(a, 0) * term(b, 0));
    }
  } else {
    for (int a = 0; a < size; ++a)
      for (i64 k = 0; k < K; ++k) mean[a] += p[k] * term(a, k);
    for (int a = 0; a < size; ++a) {
      gradient[a] = term(a, label) - mean[a];
      for (int b = 0; b <= a; ++b) {
        double sum = 0.0;
        for (i64 k = 0; k < K; ++k) sum += p[k] * ((term(a, k) - mean[a]) * (term(b, k) - mean[b]));
        H[a][b] = sum;
      }
    }
  }
  double* L = blend.view.precision;  // Λ, row after row
  double R[TERMS][TERMS];            // I + Λ = R Rᵀ
  for (int a = 0; a < size; ++a)
    for (int b = 0; b <= a; ++b) {
      double& number = L[a * TERMS + b];
      number = clipped((1.0 - BLEND_FORGETS) * number + weight * H[a][b], LARGEST_NUMBER);
      double rest = a == b ? 1.0 + number : number;
      for (int c = 0; c < b; ++c) rest -= R[a][c] * R[b][c];
      R[a][b] = a == b ? std::sqrt(greatest(rest, 1.0)) : rest / R[b][b];  // its eigenvalues are ≥ 1
    }
  double step[TERMS];
  for (int a = 0; a < size; ++a) {
    double rest = weight * gradient[a];
    for (int b = 0; b < a; ++b) rest -= R[a][b] * step[b];
    step[a] = rest / R[a][a];
  }
  for (int a = size - 1; a >= 0; --a) {
    double rest = step[a];
    for (int b = a + 1; b < size; ++b) rest -= R[b][a] * step[b];
    step[a] = rest / R[a][a];
    blend.view.coefficients[a] += clipped(step[a], LARGEST_SCORE);
  }
  double trust = 0.0;
  for (int e = 0; e < EXPERTS; ++e) trust += blend.coefficient(e);
  if (trust < LEAST_TRUST && blend.rows() <= TRUST_ROWS)
    for (int e = 0; e < EXPERTS; ++e) blend.view.coefficients[e] += (LEAST_TRUST - trust) / EXPERTS;
}

// W and b as Σ a_e w_e, without the means.
template <class T>
INLINE void refresh_column(const Blend& blend, T* W, i64 j) {
  const double* w = blend.weights(j);
  for (i64 k = 0; k < blend.P; ++k) {
    double sum = 0.0;
    for (int e = 0; e < EXPERTS; ++e) sum += blend.coefficient(e) * w[e * blend.P + k];
    W[j * blend.P + k] = T(clipped(sum, sizeof(T) == sizeof(float) ? LARGEST_FLOAT : LARGEST_WEIGHT));
  }
}
template <class T>
void refresh_intercepts(const Blend& blend, T* W, double* b) {
  for (i64 k = 0; k < blend.P; ++k) {
    double sum = blend.constant() + blend.view.offsets[k];
    for (int e = 0; e < EXPERTS; ++e) sum += blend.coefficient(e) * blend.weights(-1)[e * blend.P + k];
    b[k] = sum;
  }
  for (i64 at = 0; at < blend.dense_columns(); ++at) {
    const i64 j = blend.view.dense[at];
    const double mean = blend.mean(j);
    for (i64 k = 0; k < blend.P; ++k)
      b[k] = clipped(b[k] - double(W[j * blend.P + k]) * mean, LARGEST_NUMBER);
  }
}
template <class T>
void refresh_all(const Blend& blend, T* W, double* b) {
  blend.find_dense();
  for (i64 j = 0; j < blend.d; ++j) refresh_column(blend, W, j);
  refresh_intercepts(blend, W, b);
  blend.stale() = 0;
}

// Refresh what the score of row i takes: its columns, and the dense ones, whose means b has.
template <class Rows, class T>
void refresh_row(const Blend& blend, const Rows& rows, i64 i, T* W, double* b) {
  blend.find_dense();
  rows.each(i, [&](i64 j, auto) { refresh_column(blend, W, j); });
  for (i64 at = 0; at < blend.dense_columns(); ++at) refresh_column(blend, W, blend.view.dense[at]);
  refresh_intercepts(blend, W, b);
}

// Learn the rows of `order` once. p = {whether the learners learn, whether the blend does}.
template <class Rows>
i64 learn_blended(const Rows& rows, const Problem& problem) {
  using T = typename Rows::Value;
  State<T> s(problem.state);
  const Spec& spec = problem.spec;
  const bool coded = spec.scheme != Scheme::none;
  const i64 K = coded ? spec.K : 1, P = s.P;
  const Blend blend(problem.state, K);
  const bool moves = spec.parameters[0] != 0.0, blends = spec.parameters[1] != 0.0;
  blend.find_dense();
  CentredRow row(blend.slots);
  const Slots of(blend, problem.work);  // see work_size
  double *score = of.kept + blend.slots, *p = score + P;
  i64 entries = 0;
  for (i64 n = 0; n < problem.m; ++n) {
    rows.prefetch_row(problem.order, n, problem.m);
    const i64 i = problem.order[n];
    const i64 label = coded ? ((const i64*)problem.y)[i] : ((const double*)problem.y)[i] > 0.0;
    const double given = (coded ? spec.class_weight[label] : 1.0) * problem.weight[i];
    const double weight = least(given, LARGEST_FACTOR);
    centre_row(blend, of, rows, i, moves && weight > 0.0, spec.intercept, row);
    entries += row.size;
    if (rows.is_sparse && n + 1 < problem.m) prefetch_columns(blend, rows, problem.order[n + 1]);
    score_row(blend, of, row);
    for (i64 k = 0; k < K; ++k) {
      double sum = blend.constant();
      for (int e = 0; e < EXPERTS; ++e) sum += blend.coefficient(e) * of.scores[e * P + k];
      score[k] = sum;
    }
    const double loss = probabilities(score, K, label, p);
    s.losses[coded ? label : 0] += weight * loss;
    for (i64 k = 0; k < K; ++k) score[k] += blend.view.offsets[k];  // they predict, and learn nothing
    const bool wrong =
        coded ? is_beaten(score, K, label) : is_mistake(score[0], label ? 1.0 : -1.0, spec.tie);
    s.errors[0] += wrong, s.mistakes[coded ? label : 0] += wrong;
    if (blends && weight > 0.0) learn_blend(blend, of.scores, p, label, weight, spec.intercept);
    if (moves && weight > 0.0) {
      for (int e = 0; e < EXPERTS; ++e) {
        probabilities(of.scores + e * P, K, label, p);
        for (i64 k = 0; k < K; ++k) {
          const double y = k == (coded ? label : 0) && (coded || label) ? 1.0 : 0.0;
          const double g = p[k] - y, h = p[k] * (1.0 - p[k]);
          const double bend = weight * curvature(std::fabs(g), h);
          of.alphas[e * P + k] = weight * g / (1.0 + bend * of.variances[e * P + k]);
          of.betas[e * P + k] = weight * h;
        }
      }
      move_row(blend, of, row);
      s.updates[coded ? label : 0] += 1;
    }
    for (i64 k = 0; k < K; ++k) s.area[k] += s.scale[k];
    s.t[0] += 1;
  }
  blend.stale() = 1;
  if (entries * FEW_WEIGHTS >= s.d) refresh_all(blend, s.W, s.b);
  return FINITE;
}

}  // namespace INSTRUCTION_SET
