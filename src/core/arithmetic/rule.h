// Update rules, as the loops call them: by pointer, once a row.
//
// Each rule is a struct with static functions: the formulas of its class in theory/rules/, with the
// same bits. Its header has the name of the class's module, and a list of its rules, by which
// cmake/CMakeLists.txt finds them. `p` has its hyperparameters, in the order of the class's fields.
// A struct has
//
//   step, weighted_step   the step of an example of weight 1, and of another weight
//   loss                  the loss of the example
//   reads_sqnorm          whether step depends on ‖x‖², and weighted_reads_sqnorm: weighted_step
//   of_lanes              whether step and loss are also formulas of vectors of scores
//
// or, of a weightwise rule,
//
//   numbers               how many it keeps for each weight
//   touch, move           what becomes of a weight and its numbers, of one or of a vector of columns
//   rate                  of one weight, if gradient sees the variance
//   counts, begin         how many numbers it keeps for each weight vector, and what becomes of them
//                         before a row; touch may change them, too, and move sees them
//   takes_parts, part     true, and which part of its step is taken, by the change of the score by
//                         all of it; of a loss
//   gradient, weighted_gradient, loss; with that of OfLogistic, a joint model has a softmax

#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "arithmetic/weightwise.h"
#include "linear/problem.h"

namespace INSTRUCTION_SET {

// The step τ of one example, and its loss.
template <class R>
Outcome plain(const double* p, double score, double y, double sqnorm, double weight) {
  const double tau = weight == 1.0 ? R::template step<double>(p, score, y, sqnorm)
                                   : R::weighted_step(p, score, y, sqnorm, weight);
  return {tau, R::template loss<double>(p, score, y)};
}

template <class R>
Pair confident(const double* p, double score, double y, double variance, double weight) {
  return weight == 1.0 ? R::step(p, score, y, variance)
                       : R::weighted_step(p, score, y, variance, weight);
}

template <class R>
Pair rescaling(const double* p, double score, double y, const Seen& seen, double weight) {
  return weight == 1.0 ? R::rescale(p, score, y, seen) : R::weighted_rescale(p, score, y, seen, weight);
}

// The losses of several rules.
struct OfHinge {
  template <class V = double>
  static V loss(const double*, V score, V y) {
    return positive_part<V>(1.0 - y * score);
  }
};
struct OfCriterion {
  template <class V = double>
  static V loss(const double*, V score, V y) {
    return positive_part<V>(-y * score);
  }
};
// log(1 + e^−z) with z = y·score, without overflow; and the probability of the other label, with
// which its derivative is −y/(1 + e^z).
struct OfLogistic {
  template <class V = double>
  static double loss(const double*, double score, double y) {
    const double z = y * score;
    return z > 0.0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
  }
  static double chance_of_other(double score, double y) {
    const double z = y * score;
    if (z > 0.0) {
      const double small = std::exp(-z);
      return small / (1.0 + small);
    }
    return 1.0 / (1.0 + std::exp(z));
  }
};

// --- what several rules do with the weight of an example -------------------------------------------

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// τ min(weight, n), with n the steps until nothing is missing: each brings y·score up by `size`.
inline double repeated(double tau, double missing, double size, double weight) {
  if (weight > 1.0 && tau != 0.0 && size > 0.0)
    weight = least(weight, 1.0 + std::floor(least(missing / size, weight)));
  return tau * weight;
}

// The derivative times the weight.
template <class R>
struct WeightedGradient {
  static double weighted_gradient(const double* p, double score, double y, double v, double weight) {
    return R::gradient(p, score, y, v) * weight;
  }
};

// Both numbers times the weight.
template <class R>
struct Weighted {
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    const Pair move = R::step(p, score, y, v);
    return {move.first * weight, move.second * weight};
  }
};

// √(a² + b²) where the squares leave the range. CPython's and libm's may differ in the last bit;
// the library's engine has always had libm's.
inline double hypotenuse(double a, double b) { return std::hypot(a, b); }

// The step, of a weight below 1 that part: a second step would find nothing to do.
template <class R>
struct Part {
  static Pair weighted_step(const double* p, double score, double y, double v, double weight) {
    const Pair move = R::step(p, score, y, v);
    const double part = least(weight, 1.0);
    return {move.first * part, move.second * part};
  }
};

struct OfVariance : OfHinge {
  static constexpr Rates rates = Rates::of_variance_before;
  static bool needs_variance(const double*, double, double) { return true; }
};

// The factor, and τ times the weight.
template <class R>
struct WeightedStep {
  static Pair weighted_rescale(const double* p, double score, double y, const Seen& seen,
                               double weight) {
    const Pair move = R::rescale(p, score, y, seen);
    return {move.first, move.second * weight};
  }
};

// The change, of a weight below 1 that part: a second step would find nothing to do.
template <class R>
struct PartOfChange {
  static Pair weighted_rescale(const double* p, double score, double y, const Seen& seen,
                               double weight) {
    const Pair move = R::rescale(p, score, y, seen);
    const double part = least(weight, 1.0);
    return {1.0 + part * (move.first - 1.0), move.second * part};
  }
};

// --- rules as the loops call them -------------------------------------------------------------------

// y·score > 0, or a score of zero that stands for y; NaN is a mistake.
INLINE bool is_mistake(double score, double y, double tie) {
  return !(y * score > 0.0 || (score == 0.0 && tie == y));
}

// One step for every active class: +1 is the label of the example's class, −1 of all others.
template <class R>
bool act_on_all(const double* p, const OneVsRest& example) {
  const i64 K = example.K, label = example.label;
  i64 k = 0, moves = 0;
  if constexpr (R::of_lanes) {
    if (example.own_weight == 1.0 && example.rest_weight == 1.0) {
      const Doubles sqnorm = spread(example.sqnorm), tie = spread(example.tie);
      Masks moved = Masks{}, ids;
      for (int lane = 0; lane < WIDTH; ++lane) ids[lane] = lane;
      for (; k < K; k += WIDTH, ids += WIDTH) {  // the arrays are padded to whole vectors
        const Doubles score = load(example.scores + k);
        const Doubles y = pick(ids == label, spread(1.0), spread(-1.0));
        const Masks active = load_masks(example.active + k);
        const Doubles tau = (Doubles)((Masks)R::template step<Doubles>(p, score, y, sqnorm) & active);
        const Doubles loss = (Doubles)((Masks)R::template loss<Doubles>(p, score, y) & active);
        store(example.taus + k, tau);
        moved |= tau != 0.0;
        store(example.losses + k, load(example.losses + k) + loss);
        const Masks right = (y * score > 0.0) | ((score == 0.0) & (tie == y));
        store_masks(example.mistakes + k, load_masks(example.mistakes + k) - (active & ~right));
      }
      return any(moved);
    }
  }
  for (; k < K; ++k) {
    const double y = k == label ? 1.0 : -1.0, score = example.scores[k];
    const double weight = k == label ? example.own_weight : example.rest_weight;
    const Outcome outcome = plain<R>(p, score, y, example.sqnorm, weight);
    const bool active = example.active[k];
    example.taus[k] = active ? outcome.tau : 0.0;
    moves += example.taus[k] != 0.0;
    example.losses[k] += active ? outcome.loss : 0.0;
    example.mistakes[k] += active && is_mistake(score, y, example.tie);
  }
  return moves > 0;
}

template <class R, class = void>
struct OverlapOf {
  static constexpr double (*function)(const double*, double, double) = nullptr;
};
template <class R>
struct OverlapOf<R, decltype(void(R::overlap))> {
  static constexpr double (*function)(const double*, double, double) = R::overlap;
};

template <class R>
constexpr Rule plain_rule(const char* name) {
  Rule rule = {};
  rule.name = name, rule.kind = Kind::plain;
  rule.reads_sqnorm = R::reads_sqnorm, rule.weighted_reads_sqnorm = R::weighted_reads_sqnorm;
  rule.act = plain<R>, rule.act_on_all = act_on_all<R>;
  rule.loss = R::template loss<double>, rule.overlap = OverlapOf<R>::function;
  return rule;
}

template <class R, class = void>
struct RegularisationOf {
  static constexpr double (*function)(const double*) = nullptr;
};
template <class R>
struct RegularisationOf<R, decltype(void(R::regularisation))> {
  static constexpr double (*function)(const double*) = R::regularisation;
};

template <class R>
constexpr Rule confident_rule(const char* name, Kind kind = Kind::confident) {
  Rule rule = {};
  rule.name = name, rule.kind = kind;
  rule.rates = R::rates, rule.regularisation = RegularisationOf<R>::function;
  rule.needs_variance = R::needs_variance, rule.confident = confident<R>;
  rule.loss = R::template loss<double>;
  return rule;
}

template <class R>
constexpr Rule rescaling_rule(const char* name) {
  Rule rule = {};
  rule.name = name, rule.kind = Kind::rescaling;
  rule.reads_sqnorm = rule.weighted_reads_sqnorm = true;
  rule.rescale = rescaling<R>, rule.loss = R::template loss<double>;
  return rule;
}

// --- weightwise rules: R::touch and R::rate are optional --------------------------------------------

template <class R, class = void>
struct TouchOf {
  static constexpr bool is_there = false;
  static constexpr void (*function)(const double*, const Walk&, const i64*) = nullptr;
};
template <class R>
struct TouchOf<R, decltype(void(R::template touch<double>))> {
  static constexpr bool is_there = true;  // under UBSan an address is not compared at compile time
  static constexpr void (*function)(const double*, const Walk&, const i64*) = touch_columns<R>;
};

template <class R, class = void>
struct RateOf {
  static constexpr double (*function)(const double*, const double*) = nullptr;
};
template <class R>
struct RateOf<R, decltype(void(R::rate))> {
  static constexpr double (*function)(const double*, const double*) = R::rate;
};

template <class R, class = void>
struct BeginOf {
  static constexpr void (*function)(const double*, const Walk&, const i64*) = nullptr;
};
template <class R>
struct BeginOf<R, decltype(void(R::counts))> {
  static constexpr void (*function)(const double*, const Walk&, const i64*) = begin_columns<R>;
};

// By R::part of a loss.
template <class R, class L, bool = HasPart<R>::value>
struct PartOf {
  static constexpr double (*function)(const double*, double, double, double) = nullptr;
  static constexpr void (*change)(const double*, const Walk&, const double*, double*) = nullptr;
};
template <class R, class L>
struct PartOf<R, L, true> {
  static constexpr double (*function)(const double*, double, double, double) = R::template part<L>;
  static constexpr void (*change)(const double*, const Walk&, const double*, double*) = add_changes<R>;
};

template <class L>
double weighted_gradient(const double* p, double score, double y, double variance, double weight) {
  return weight == 1.0 ? L::gradient(p, score, y, variance)
                       : L::weighted_gradient(p, score, y, variance, weight);
}

// A rule for a loss: its own, or one of arithmetic/losses.h.
template <class R, class L = R>
constexpr Rule weightwise_rule(const char* name) {
  static_assert(1 <= R::numbers && R::numbers <= MOST_NUMBERS);
  static_assert(CountsOf<R>::number <= MOST_COUNTS);
  static_assert(CountsOf<R>::number == 0 || TouchOf<R>::is_there);  // rows are counted before it
  Rule rule = {};
  rule.name = name, rule.kind = Kind::weightwise, rule.numbers = R::numbers;
  rule.gradient = weighted_gradient<L>, rule.loss = L::template loss<double>;
  rule.softmax = std::is_base_of<OfLogistic, L>::value;
  rule.touch = TouchOf<R>::function, rule.touches = TouchOf<R>::is_there;
  rule.move = move_columns<R>, rule.rate_one = RateOf<R>::function;
  rule.counts = CountsOf<R>::number, rule.begin = BeginOf<R>::function;
  rule.part = PartOf<R, L>::function, rule.change = PartOf<R, L>::change;
  return rule;
}

}  // namespace INSTRUCTION_SET
