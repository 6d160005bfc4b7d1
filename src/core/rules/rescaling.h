// Rules that see ‖w‖ and the time, and rescale the weights: w ← factor w + τ x.

#pragma once

#include <cmath>

#include "rules/rule.h"

namespace INSTRUCTION_SET {

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

// τ = η y/√(t + 1) where y·score < 1. Zinkevich 2003. p = {η}.
struct OGD : OfHinge, WeightedStep<OGD> {
  static Pair rescale(const double* p, double score, double y, const Seen& seen) {
    if (!(y * score < 1.0)) return {1.0, 0.0};
    return {1.0, p[0] * y / std::sqrt(double(seen.t) + 1.0)};
  }
};

// (t/(t + 1), y/(λ (t + 1))) where y·score < 1. Shalev-Shwartz et al. 2011, figure 1. p = {λ}.
struct Pegasos : OfHinge, WeightedStep<Pegasos> {
  static Pair rescale(const double* p, double score, double y, const Seen& seen) {
    const double t = double(seen.t), now = t + 1.0;
    return {t / now, y * score < 1.0 ? y / (p[0] * now) : 0.0};
  }
};

// ALMA₂ of rows divided by their norms, w in the unit ball. Gentile 2001, figure 1. p = {C, α}.
struct ALMA : OfCriterion {
  static Pair rescale(const double* p, double score, double y, const Seen& seen) {
    const double root = std::sqrt(double(seen.updates) + 1.0), norm = std::sqrt(seen.sqnorm);
    if (norm <= 0.0 || y * score > (1.0 - p[1]) / p[1] / root * norm) return {1.0, 0.0};
    const double tau = p[0] * y / (root * norm);
    const double after = seen.wsqnorm + 2.0 * tau * score + tau * tau * seen.sqnorm;
    const double factor = after > 1.0 ? 1.0 / std::sqrt(after) : 1.0;
    return {factor, factor * tau};
  }
  static Pair weighted_rescale(const double* p, double score, double y, const Seen& seen,
                               double weight) {
    if (weight <= 0.0) return {1.0, 0.0};
    const double larger[] = {weight * p[0], p[1]};
    return rescale(larger, score, y, seen);
  }
};

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

}  // namespace INSTRUCTION_SET
