// The steps that one example gives to the weight vectors: see engine/multiclass.py.

#pragma once

#include "arithmetic/calibration.h"
#include "arithmetic/rules.h"
#include "kernel/problem.h"
#include "kernel/products.h"

namespace INSTRUCTION_SET {

struct Example {
  i64 label;
  double squared_norm, own_weight, rest_weight;
};

// Compute the step of every weight vector, and its loss and mistake; whether any step is not zero.
inline bool compute_steps(const KernelSpec& spec, const Example& example, const bool* active,
                          const StepBuffers& of) {
  const auto act = [&](double score, double y, double sqnorm, double weight) {
    return spec.rule->act(spec.parameters, score, y, sqnorm, weight);
  };
  const i64 K = spec.K, label = example.label;
  for (i64 k = 0; k < K; ++k) {
    of.taus[k] = of.losses[k] = 0.0;
    of.mistakes[k] = 0;
  }
  if (spec.scheme == KernelScheme::binary) {
    const double score = of.scores[0], y = label == 1 ? 1.0 : -1.0;
    const Outcome outcome = act(score, y, example.squared_norm, example.own_weight);
    of.losses[0] += outcome.loss;
    of.mistakes[0] += is_mistake(score, y, spec.tie);
    of.taus[0] = outcome.tau;
    return outcome.tau != 0.0;
  }
  if (spec.scheme == KernelScheme::one_vs_rest) {
    bool moves = false;
    for (i64 k = 0; k < K; ++k) {
      const double score = of.scores[k], y = k == label ? 1.0 : -1.0;
      const Outcome outcome =
          act(score, y, example.squared_norm, k == label ? example.own_weight : example.rest_weight);
      if (!active[k]) continue;
      of.taus[k] = outcome.tau;
      of.losses[k] += outcome.loss;
      of.mistakes[k] += is_mistake(score, y, spec.tie);
      moves |= outcome.tau != 0.0;
    }
    return moves;
  }
  i64 rival = -1;
  for (i64 k = 0; k < K; ++k)
    if (active[k] && k != label && (rival < 0 || of.scores[k] > of.scores[rival])) rival = k;
  if (rival < 0) return false;
  const double score = of.scores[label] - of.scores[rival];
  const Outcome outcome = act(score, 1.0, 2.0 * example.squared_norm, example.own_weight);
  of.losses[label] += outcome.loss;
  of.mistakes[label] += is_mistake(score, 1.0, 0.0);
  of.taus[label] = outcome.tau;
  of.taus[rival] = -outcome.tau;
  return outcome.tau != 0.0;
}

// Count one example: its losses and mistakes, and an error if its class was predicted wrong; its
// scores, those before its step, are calibrated.
inline void count_example(const Example& example, i64 K, const StepBuffers& of, const SlotState& state) {
  const i64 label = example.label;
  if (state.calibration.count && is_used(*state.t, example.own_weight))
    calibrate(state.calibration, of.scores, K, label, of.logits, of.sizes, of.shares);
  *state.errors += K > 1 ? best_of(of.scores, K) != label : of.mistakes[0] > 0;
  *state.t += 1;
  for (i64 k = 0; k < K; ++k) {
    state.losses[k] += of.losses[k];
    state.mistakes[k] += of.mistakes[k];
    state.area[k] += 1.0;
  }
}

}  // namespace INSTRUCTION_SET
