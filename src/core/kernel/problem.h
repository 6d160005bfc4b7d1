// What the kernel loops work on, as plain pointers: values, blocks of rows, the state over slots.
//
// Everything here is data, shared by all instruction sets; the bind files check lengths and indices.

#pragma once

#include <cstdint>

#include "linear/problem.h"

// A matrix of float or double.
struct ValuesView {
  const void* values;
  bool single;  // of float
  std::int64_t n, m;
};

// --- learning ------------------------------------------------------------------------------------

// The arrays of a State of engine/state.py over slots, by its names; U is null without the average.
struct SlotState {
  double *W, *b, *U, *ub, *area, *losses;
  std::int64_t *t, *errors, *mistakes, *updates;
  const bool* active;
  std::int64_t P;
  CalibrationView calibration;
};

enum class KernelScheme { binary, one_vs_rest, joint };

// An UpdateSpec of engine/multiclass.py.
struct KernelSpec {
  const Rule* rule;
  const double* parameters;
  KernelScheme scheme;
  const double* class_weight;
  double tie, bias_sqnorm;
  std::int64_t K;
};

// Numbers of one example, for each of K weight vectors.
struct StepBuffers {
  double *scores, *taus, *losses, *logits, *sizes, *shares;
  std::int64_t* mistakes;
};

struct SlotsView {
  std::int64_t *size, *rows;
  double* squares;
};

// A Block of engine/kernel/expansion.py, by its names.
struct BlockView {
  const std::int64_t* y;
  const double* weight;
  const std::int64_t* example;
  double* scores;  // (K, n)
  const double* diagonal;
  ValuesView gram_rows;
  const std::int64_t *gram_row, *first_equal;
  std::int64_t* slot;
  bool* pending;
  std::int64_t n;
};

// What a budget scheme keeps of the support rows: their Gram matrix, or its inverse.
struct BudgetScheme {
  const char* name;
  bool keeps_gram, keeps_inverse;
};

// A BudgetBlock and a BudgetState of engine/kernel/budgets.py, by their names.
struct BudgetView {
  const std::int64_t* y;
  const double* weight;
  const std::int64_t *example, *first_equal;
  std::int64_t* slot;
  const double* diagonal;
  double* support_gram;      // (n, B)
  const double* block_gram;  // (n, n)
  std::int64_t* slot_owner;
  double* projection;
  std::int64_t n, B;

  const BudgetScheme* scheme;
  double eta;
  std::int64_t* entered;
  double *gram, *inverse;  // (B, B), or null
  double *spent, *wrong;
  std::int64_t* random;
};

// --- the functions of an instruction set ---------------------------------------------------------

struct KernelFunctions {
  // exp(−γ max(0, own + other − 2 pairs)), over `pairs` of shape (n, m).
  void (*gaussian)(double* pairs, const double* own, const double* other, std::int64_t n, std::int64_t m,
                   double gamma);
  // Min-sums of the rows of A with the columns of B_t; `row` has room for m numbers.
  void (*dense_min_sums)(const ValuesView& A, const void* B_t, std::int64_t m, double* row, void* sums);
  // scores[column[m], r] += tau[m] · values[slot[m], r] for the first count[m] rows r.
  void (*apply_steps)(const ValuesView& values, const std::int64_t* slot, const std::int64_t* column,
                      const double* tau, const std::int64_t* count, std::int64_t steps, double* scores);
  std::int64_t (*learn_block)(std::int64_t start, const BlockView&, const KernelSpec&, const SlotState&,
                              const SlotsView&, const LogView*, const StepBuffers&);
  void (*learn_on_budget)(const BudgetView&, const KernelSpec&, const SlotState&, const SlotsView&,
                          const StepBuffers&);
  // A budget scheme by the name of its class, or null.
  const BudgetScheme* (*budget_scheme)(const char* name);
};
