// Pegasos: a linear support vector machine by stochastic subgradient.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// (t/(t + 1), y/(λ (t + 1))) where y·score < 1. Shalev-Shwartz et al. 2011, figure 1. p = {λ}.
struct Pegasos : OfHinge, WeightedStep<Pegasos> {
  static Pair rescale(const double* p, double score, double y, const Seen& seen) {
    const double t = double(seen.t), now = t + 1.0;
    return {t / now, y * score < 1.0 ? y / (p[0] * now) : 0.0};
  }
};

constexpr Rule pegasos_rules[] = {
    rescaling_rule<Pegasos>("Pegasos"),
};

}  // namespace INSTRUCTION_SET
