// Update rules, as the loops call them: by pointer, once a row.
//
// Each rule is a struct with static functions: the formulas of its class in theory/, with the same
// bits. `p` has its hyperparameters, in the order of the class's fields. A struct has
//
//   step, weighted_step   the step of an example of weight 1, and of another weight
//   loss                  the loss of the example
//   reads_sqnorm          whether step depends on ‖x‖², and weighted_reads_sqnorm: weighted_step
//   of_lanes              whether step and loss are also formulas of vectors of scores

#pragma once

#include "arithmetic/lanes.h"
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
  return weight == 1.0 ? R::rescale(p, score, y, seen)
                       : R::weighted_rescale(p, score, y, seen, weight);
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

}  // namespace INSTRUCTION_SET
