// The self-tuned Forgetron. Dekel, Shalev-Shwartz and Singer 2008.

#pragma once

#include <cmath>

#include "kernel/budget.h"

namespace INSTRUCTION_SET {

// Multiply weight vector k, with row r's step, by φ: `slot` is about to be removed.
inline void shrink_column(Budget& budget, i64 r, i64 slot, i64 k) {
  const i64 B = budget.of.B, P = budget.state.P;
  double *W = budget.state.W + k, &tau = budget.buffers.taus[k];
  const double coef = W[slot * P];
  if (coef == 0.0) return;
  double score = tau * budget.support_gram(r)[slot];
  for (i64 s = 0; s < B; ++s) score += W[s * P] * budget.of.gram[slot * B + s];
  // The damage is a φ² + b φ; the damage still allowed is left.
  const double a = coef * coef - 2.0 * coef * score, b = 2.0 * std::fabs(coef);
  const double left = greatest(0.0, 15.0 / 32.0 * budget.of.wrong[k] - budget.of.spent[k]);
  double phi = 1.0;
  if (a + b > left) phi = greatest(0.0, 2.0 * left / (b + std::sqrt(b * b + 4.0 * a * left)));
  budget.of.spent[k] += (a * phi + b) * phi;
  for (i64 s = 0; s < B; ++s) W[s * P] *= phi;
  tau *= phi;
}

inline i64 oldest_slot(Budget& budget, i64 r) {
  const i64 B = budget.of.B, before = budget.size();
  i64 slot = before;
  if (before == B) {
    slot = 0;
    for (i64 s = 1; s < B; ++s)
      if (budget.of.entered[s] < budget.of.entered[slot]) slot = s;
    for (i64 k = 0; k < budget.spec.K; ++k) shrink_column(budget, r, slot, k);
    budget.clear_slot(slot);
  }
  for (i64 s = 0, stop = smaller(before + 1, B); s < stop; ++s)
    budget.of.gram[slot * B + s] = budget.of.gram[s * B + slot] = budget.support_gram(r)[s];
  budget.of.gram[slot * B + slot] = budget.of.diagonal[r];
  return slot;
}

constexpr Scheme forgetron_budgets[] = {
    {{"Forgetron", true, false}, oldest_slot, nullptr},
};

}  // namespace INSTRUCTION_SET
