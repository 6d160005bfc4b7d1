// Epochs of linear learners, for one instruction set.

#include "arithmetic/binary.h"
#include "arithmetic/csr.h"
#include "arithmetic/multi.h"
#include "arithmetic/table.h"

namespace INSTRUCTION_SET {

template <class Rows>
i64 learn_rows(const Problem& problem) {
  const Rows rows(problem.rows);
  const Kind kind = problem.spec.rule->kind;
  const bool squares = kind == Kind::rescaling || problem.spec.rule->reads_sqnorm;
  if (problem.spec.scheme == Scheme::none)
    return squares ? learn_binary<Rows, true>(rows, problem) : learn_binary<Rows, false>(rows, problem);
  return squares ? learn_multi<Rows, true>(rows, problem) : learn_multi<Rows, false>(rows, problem);
}

i64 learn(const Problem& problem, bool single) {
  if (problem.rows.indptr)
    return single ? learn_rows<CSR<float>>(problem) : learn_rows<CSR<double>>(problem);
  return single ? learn_rows<Dense<float>>(problem) : learn_rows<Dense<double>>(problem);
}

const Rule* rule_of_name(const char* name) { return find_rule(name); }

}  // namespace INSTRUCTION_SET
