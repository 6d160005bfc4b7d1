// The loop over a block of rows on a budget, see engine/kernel/budgets.py; budgets/ has the schemes.

#pragma once

#include "kernel/schemes.h"

namespace INSTRUCTION_SET {

struct Budget;

// A scheme, of the name of its class in theory/budgets/. Its header has an array of its schemes, by
// which cmake/CMakeLists.txt finds them.
struct Scheme : BudgetScheme {
  // The slot for row r, which moves w; −1 if its steps were projected.
  i64 (*allocate_slot)(Budget& budget, i64 r);
  // y τ by which w moves along the projection of row r, which the rule leaves as it is; or null.
  double (*margin_step)(Budget& budget, i64 r, double y, double score);
};

struct Budget {
  void learn() {
    const i64 K = spec.K, P = state.P;
    double* taus = buffers.taus;
    const Scheme& scheme = *static_cast<const Scheme*>(of.scheme);
    for (i64 r = 0; r < of.n; ++r) {
      const i64 label = of.y[r];
      const double weight = of.weight[r], own = spec.class_weight[label];
      projected = false;
      score(r);
      const Example example = {label, of.diagonal[r], own * weight, weight};
      const bool moved = compute_steps(spec, example, state.active, buffers);
      for (i64 k = 0; k < K; ++k) {
        of.wrong[k] += double(buffers.mistakes[k]);
        state.updates[k] += taus[k] != 0.0;
        if (!scheme.margin_step || taus[k] != 0.0 || !state.active[k]) continue;
        const double y = label == (K > 1 ? k : 1) ? 1.0 : -1.0;
        const double step = scheme.margin_step(*this, r, y, buffers.scores[k]) *
                            (weight * (y > 0.0 || K == 1 ? own : 1.0));
        if (step == 0.0) continue;
        state.updates[k] += 1;
        move_along_projection(k, step);
      }
      if (moved) {
        i64 slot = of.slot[of.first_equal[r]];
        if (slot < 0) {
          slot = scheme.allocate_slot(*this, r);
          if (slot >= 0) fill_slot(r, slot);
        }
        if (slot >= 0)
          for (i64 k = 0; k < K; ++k) state.W[slot * P + k] += taus[k];
      }
      count_example(example, K, buffers, state);
    }
  }

  i64 size() const { return *slots.size; }
  const double* support_gram(i64 r) const { return of.support_gram + r * of.B; }

  // The scores of row r by the support rows, each summed in the order of the slots.
  void score(i64 r) const {
    const double* values = support_gram(r);
    const i64 K = spec.K, P = state.P;
    for (i64 k = 0; k < K; ++k) buffers.scores[k] = 0.0;
    for (i64 s = 0; s < size(); ++s)
      for (i64 k = 0; k < K; ++k) buffers.scores[k] += state.W[s * P + k] * values[s];
  }

  // Put row r into a slot, in the place of the row that was there.
  void fill_slot(i64 r, i64 slot) {
    if (slot >= size()) *slots.size = slot + 1;
    slots.rows[slot] = of.example[r];
    of.entered[slot] = *state.t;
    of.slot_owner[slot] = r;
    for (i64 q = 0; q < of.n; ++q) {
      if (of.slot[q] == slot) of.slot[q] = -1;
      of.support_gram[q * of.B + slot] = of.block_gram[q * of.n + r];
    }
    of.slot[of.first_equal[r]] = slot;
  }

  void clear_slot(i64 slot) {
    for (i64 k = 0; k < state.P; ++k) state.W[slot * state.P + k] = 0.0;
  }

  void move_along_projection(i64 k, double step) const {
    for (i64 s = 0; s < size(); ++s) state.W[s * state.P + k] += step * of.projection[s];
  }

  const BudgetView& of;
  const KernelSpec& spec;
  const SlotState& state;
  const SlotsView& slots;
  const StepBuffers& buffers;
  bool projected = false;  // whether the projection is that of the current row
  double outside = 0.0;    // its squared distance from the support rows
};

}  // namespace INSTRUCTION_SET
