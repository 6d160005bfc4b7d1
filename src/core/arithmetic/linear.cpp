// Epochs of linear learners, for one instruction set.

#include "arithmetic/binary.h"
#include "arithmetic/blend.h"
#include "arithmetic/csr.h"
#include "arithmetic/multi.h"
#include "arithmetic/scan.h"
#include "arithmetic/table.h"

namespace INSTRUCTION_SET {

// f(rows), with the rows of a problem in their type.
template <class F>
INLINE auto with_rows(const RowsView& rows, bool single, F f) {
  if (rows.indptr) return single ? f(CSR<float>(rows)) : f(CSR<double>(rows));
  return single ? f(Dense<float>(rows)) : f(Dense<double>(rows));
}

template <class Rows>
i64 learn_rows(const Rows& rows, const Problem& problem) {
  const Spec& spec = problem.spec;
  if (spec.rule->kind == Kind::blended) return learn_blended(rows, problem);
  if (spec.scheme != Scheme::none) return learn_multi(rows, problem);
  const bool bare = spec.rule->kind == Kind::plain && !spec.penalised && !spec.pocket;
  return bare ? learn_binary<Rows, true>(rows, problem) : learn_binary<Rows, false>(rows, problem);
}

i64 learn(const Problem& problem, bool single) {
  return with_rows(problem.rows, single, [&](const auto& rows) { return learn_rows(rows, problem); });
}

void scan(const Problem& problem, bool single, i64* chosen) {
  with_rows(problem.rows, single, [&](const auto& rows) { least_overlaps(rows, problem, chosen); });
}

// The rows may be of another type than the weights.
template <class T>
void refresh_weights(const StateView& s, const RowsView* rows, bool single_rows, i64 i) {
  const Blend blend(s, s.P);
  T* W = (T*)s.W;
  if (!rows) refresh_all(blend, W, s.b);
  else with_rows(*rows, single_rows, [&](const auto& view) { refresh_row(blend, view, i, W, s.b); });
}

void refresh(const StateView& s, bool single, const RowsView* rows, bool single_rows, i64 i) {
  if (single) refresh_weights<float>(s, rows, single_rows, i);
  else refresh_weights<double>(s, rows, single_rows, i);
}

const Rule* rule_of_name(const char* name) { return find_rule(name); }

}  // namespace INSTRUCTION_SET
