// Epochs of linear learners, for one instruction set.

#include "arithmetic/binary.h"
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

const Rule* rule_of_name(const char* name) { return find_rule(name); }

}  // namespace INSTRUCTION_SET
