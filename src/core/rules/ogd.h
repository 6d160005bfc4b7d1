// Online gradient descent, with steps that fall as 1/√t.

#pragma once

#include <cmath>

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// τ = η y/√(t + 1) where y·score < 1. Zinkevich 2003. p = {η}.
struct OGD : OfHinge, WeightedStep<OGD> {
  static Pair rescale(const double* p, double score, double y, const Seen& seen) {
    if (!(y * score < 1.0)) return {1.0, 0.0};
    return {1.0, p[0] * y / std::sqrt(double(seen.t) + 1.0)};
  }
};

constexpr Rule ogd_rules[] = {
    rescaling_rule<OGD>("OGD"),
};

}  // namespace INSTRUCTION_SET
