// Points of least norm, for one instruction set.

#include "hulls/descent.h"

namespace INSTRUCTION_SET {

// f(rows) with the kind of rows.
template <class F>
auto with_rows(const HullRows& hull, F f) {
  if (hull.rows.indptr) return hull.single ? f(CSR<float>(hull.rows)) : f(CSR<double>(hull.rows));
  return hull.single ? f(Dense<float>(hull.rows)) : f(Dense<double>(hull.rows));
}

template <class Rows>
Hull<Rows> hull_of(const Rows& rows, const HullRows& hull, const ActiveSet& active) {
  return {rows, hull.y, hull.group, active};
}

static bool add_row(const HullRows& hull, const ActiveSet& active, i64 i) {
  return with_rows(hull, [&](const auto& rows) { return hull_of(rows, hull, active).add_row(i); });
}

static i64 descend(const HullRows& hull, const ActiveSet& active, const Descent& how) {
  return with_rows(hull,
                   [&](const auto& rows) { return i64(hull_of(rows, hull, active).descend(how)); });
}

static void recompute_w(const HullRows& hull, const ActiveSet& active) {
  with_rows(hull, [&](const auto& rows) { hull_of(rows, hull, active).recompute_w(); });
}

static void run_perceptron_on(const HullRows& hull, const PerceptronRun& run) {
  with_rows(hull, [&](const auto& rows) { run_perceptron(rows, hull.y, run); });
}

extern const HullFunctions hull_functions = {add_row, descend, recompute_w, run_perceptron_on};

}  // namespace INSTRUCTION_SET
