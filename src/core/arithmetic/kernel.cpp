// Kernel values and expansions, for one instruction set.

#include "all_budgets.h"  // written by cmake/CMakeLists.txt: the headers of budgets/
#include "kernel/expansion.h"
#include "kernel/gaussian.h"

namespace INSTRUCTION_SET {

// f(values) with their type.
template <class F>
auto with_type(const ValuesView& view, F f) {
  return view.single ? f((const float*)view.values) : f((const double*)view.values);
}

static void write_dense_min_sums(const ValuesView& A, const void* B_t, i64 m, double* row, void* sums) {
  with_type(A, [&](const auto* values) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(values)>>;
    for (i64 i = 0; i < A.n; ++i) {
      for (i64 k = 0; k < m; ++k) row[k] = 0.0;
      for (i64 j = 0; j < A.m; ++j) {
        const T a = values[i * A.m + j];
        if (a == T(0)) continue;
        const T* column = (const T*)B_t + j * m;
        for (i64 k = 0; k < m; ++k) row[k] += double(signed_min(a, column[k]));
      }
      for (i64 k = 0; k < m; ++k) ((T*)sums)[i * m + k] = T(row[k]);
    }
  });
}

static void apply_steps(const ValuesView& view, const i64* slot, const i64* column, const double* tau,
                        const i64* count, i64 steps, double* scores) {
  with_type(view, [&](const auto* values) {
    for (i64 m = 0; m < steps; ++m) {
      const auto* row = values + slot[m] * view.m;
      double* moved = scores + column[m] * view.m;
      for (i64 r = 0; r < count[m]; ++r) moved[r] += tau[m] * double(row[r]);
    }
  });
}

static i64 learn_block(i64 start, const BlockView& block, const KernelSpec& spec, const SlotState& state,
                       const SlotsView& slots, const LogView* log, const StepBuffers& buffers) {
  if (block.gram_rows.single)
    return Expansion<float>{block, spec, state, slots, log}.learn(start, buffers);
  return Expansion<double>{block, spec, state, slots, log}.learn(start, buffers);
}

static void learn_on_budget(const BudgetView& of, const KernelSpec& spec, const SlotState& state,
                            const SlotsView& slots, const StepBuffers& buffers) {
  Budget{of, spec, state, slots, buffers}.learn();
}

static const BudgetScheme* find_scheme(const char* name) {
#define FIND(header)                            \
  for (const Scheme& scheme : header##_budgets) \
    if (std::strcmp(scheme.name, name) == 0) return &scheme;
  OF_ALL_BUDGETS(FIND)
#undef FIND
  return nullptr;
}

extern const KernelFunctions kernel_functions = {write_gaussian, write_dense_min_sums, apply_steps,
                                                 learn_block,    learn_on_budget,      find_scheme};

}  // namespace INSTRUCTION_SET
