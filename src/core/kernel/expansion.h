// The loop over a block of rows, without a budget: see engine/kernel/expansion.py.

#pragma once

#include "kernel/schemes.h"

namespace INSTRUCTION_SET {

// The slot of row r; the next one if it has none.
inline i64 support_slot(const SlotsView& slots, const BlockView& block, i64 r) {
  i64& slot = block.slot[block.first_equal[r]];
  if (slot < 0) {
    slot = *slots.size;
    slots.rows[slot] = block.example[r];
    *slots.size += 1;
  }
  return slot;
}

template <class T>
struct Expansion {
  const BlockView& block;
  const KernelSpec& spec;
  const SlotState& state;
  const SlotsView& slots;
  const LogView* log;  // null: steps are not recorded

  // Move weight vector k by tau along row r, which has slot s; update the scores after r.
  void apply_step(i64 r, i64 k, i64 s, double tau) const {
    const i64 n = block.n, place = s * state.P + k;
    const double t = double(*state.t);
    double* scores = block.scores + k * n;
    state.updates[k] += 1;
    slots.squares[k] += tau * (2.0 * scores[r] + tau * block.diagonal[r]);
    state.W[place] += tau;
    if (state.U) state.U[place] += t * tau;
    state.b[k] += tau * spec.bias_sqnorm;
    state.ub[k] += t * tau * spec.bias_sqnorm;
    if (log) {
      const i64 step = *log->size;
      log->slot[step] = s;
      log->column[step] = k;
      log->tau[step] = tau;
      log->t[step] = *state.t;
      *log->size = step + 1;
    }
    const T* values = static_cast<const T*>(block.gram_rows.values) + block.gram_row[r] * n;
    for (i64 q = r + 1; q < n; ++q) scores[q] += tau * double(values[q]);
  }

  // Learn from row `start` on, until a Gram row is lacking; mark the rows that wait for theirs.
  i64 learn(i64 start, const StepBuffers& of) const {
    const i64 n = block.n, K = spec.K;
    i64 first_pending = n;
    for (i64 r = start; r < n; ++r) {
      const i64 label = block.y[r];
      for (i64 k = 0; k < K; ++k) of.scores[k] = block.scores[k * n + r] + state.b[k];
      const double weight = block.weight[r];
      const Example example = {label, block.diagonal[r] + spec.bias_sqnorm,
                               spec.class_weight[label] * weight, weight};
      const bool moved = compute_steps(spec, example, state.active, of);
      if (moved && block.gram_row[r] < 0) {
        block.pending[r] = true;
        first_pending = smaller(first_pending, r);
      }
      if (first_pending < n) continue;
      if (moved) {
        const i64 s = support_slot(slots, block, r);
        for (i64 k = 0; k < K; ++k)
          if (of.taus[k] != 0.0) apply_step(r, k, s, of.taus[k]);
      }
      count_example(example, K, of, state);
    }
    return first_pending;
  }
};

}  // namespace INSTRUCTION_SET
