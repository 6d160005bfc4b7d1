// The table of the library's rules, for one instruction set.

#pragma once

#include "rules/confidence.h"
#include "rules/confidence_weighted.h"
#include "rules/fixed_steps.h"
#include "rules/passive_aggressive.h"
#include "rules/regression.h"
#include "rules/rescaling.h"

namespace INSTRUCTION_SET {

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
  return {name,          Kind::plain,   R::reads_sqnorm, R::weighted_reads_sqnorm,
          plain<R>,      act_on_all<R>, Rates::none,     nullptr,
          nullptr,       nullptr,       nullptr,         R::template loss<double>,
          OverlapOf<R>::function, nullptr, nullptr};
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
  return {name,         kind,     false,    false,
          nullptr,      nullptr,  R::rates, RegularisationOf<R>::function,
          R::needs_variance, confident<R>, nullptr, R::template loss<double>,
          nullptr,      nullptr,  nullptr};
}

template <class R>
constexpr Rule rescaling_rule(const char* name) {
  return {name,    Kind::rescaling, true,         true,
          nullptr, nullptr,         Rates::none,  nullptr,
          nullptr, nullptr,         rescaling<R>, R::template loss<double>,
          nullptr, nullptr,         nullptr};
}

// By the names of the classes of rosenblatt.rules.
static const Rule RULES[] = {
    plain_rule<Perceptron>("Perceptron"),
    plain_rule<MarginPerceptron>("MarginPerceptron"),
    plain_rule<Relaxation>("Relaxation"),
    plain_rule<PA>("PA"),
    plain_rule<PA1>("PA1"),
    plain_rule<PA2>("PA2"),
    plain_rule<LMS>("LMS"),
    plain_rule<NormalizedLMS>("NormalizedLMS"),
    plain_rule<Logistic>("Logistic"),
    plain_rule<Hinge>("Hinge"),
    plain_rule<MinOver>("MinOver"),
    confident_rule<AROW>("AROW"),
    confident_rule<CW>("CW"),
    confident_rule<CWStdev>("CWStdev"),
    confident_rule<SCW1>("SCW1"),
    confident_rule<SCW2>("SCW2"),
    confident_rule<AdaGrad>("AdaGrad"),
    confident_rule<AdaGradLogistic>("AdaGradLogistic"),
    confident_rule<SOP>("SOP"),
    confident_rule<NAROW>("NAROW"),
    confident_rule<AROW>("FullAROW", Kind::full),
    confident_rule<CW>("FullCW", Kind::full),
    confident_rule<CWStdev>("FullCWStdev", Kind::full),
    confident_rule<SCW1>("FullSCW1", Kind::full),
    confident_rule<SCW2>("FullSCW2", Kind::full),
    rescaling_rule<OGD>("OGD"),
    rescaling_rule<Pegasos>("Pegasos"),
    rescaling_rule<ALMA>("ALMA"),
    rescaling_rule<ROMMA>("ROMMA"),
    rescaling_rule<AggressiveROMMA>("AggressiveROMMA"),
};

inline const Rule* find_rule(const char* name) {
  for (const Rule& rule : RULES)
    if (std::strcmp(rule.name, name) == 0) return &rule;
  return nullptr;
}

}  // namespace INSTRUCTION_SET
