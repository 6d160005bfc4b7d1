// The random budget perceptron. Cavallanti, Cesa-Bianchi and Gentile 2007.

#pragma once

#include "kernel/budget.h"
#include "matrices/shuffle.h"

namespace INSTRUCTION_SET {

inline i64 random_slot(Budget& budget, i64) {
  if (budget.size() < budget.of.B) return budget.size();
  *budget.of.random = xorshift32(std::uint32_t(*budget.of.random));
  const i64 slot = (*budget.of.random & 0x7FFFFFFF) % budget.of.B;
  budget.clear_slot(slot);
  return slot;
}

constexpr Scheme random_removal_budgets[] = {
    {{"RandomRemoval", false, false}, random_slot, nullptr},
};

}  // namespace INSTRUCTION_SET
