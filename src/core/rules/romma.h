// ROMMA: the relaxed online maximum margin.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

// The smallest w with y·score ≥ 1 and ⟨w, old w⟩ ≥ ‖old w‖². Li and Long 2002.
inline Pair relaxed(double score, double y, const Seen& seen, double product, double area) {
  return {(product - y * score) / area, seen.wsqnorm * (y - score) / area};
}

constexpr double PARALLEL = 1e-12;  // of ‖x‖²‖w‖²: a smaller ‖x‖²‖w‖² − score² is rounding

// ROMMA: after a mistake.
struct ROMMA : OfCriterion, PartOfChange<ROMMA> {
  static Pair rescale(const double*, double score, double y, const Seen& seen) {
    if (y * score > 0.0 || seen.sqnorm <= 0.0) return {1.0, 0.0};
    const double product = seen.sqnorm * seen.wsqnorm, area = product - score * score;
    if (area <= PARALLEL * product) return {0.0, y / seen.sqnorm};
    return relaxed(score, y, seen, product, area);
  }
};

// Aggressive ROMMA: wherever y·score < 1.
struct AggressiveROMMA : OfHinge, PartOfChange<AggressiveROMMA> {
  static Pair rescale(const double*, double score, double y, const Seen& seen) {
    if (y * score >= 1.0 || seen.sqnorm <= 0.0) return {1.0, 0.0};
    const double product = seen.sqnorm * seen.wsqnorm, area = product - score * score;
    if (area <= PARALLEL * product || y * score >= product) return {0.0, y / seen.sqnorm};
    return relaxed(score, y, seen, product, area);
  }
};

constexpr Rule romma_rules[] = {
    rescaling_rule<ROMMA>("ROMMA"),
    rescaling_rule<AggressiveROMMA>("AggressiveROMMA"),
};

}  // namespace INSTRUCTION_SET
