// Epochs of linear learners, for one instruction set.

#include "arithmetic/binary.h"
#include "arithmetic/csr.h"
#include "arithmetic/multi.h"
#include "arithmetic/table.h"

namespace INSTRUCTION_SET {

template <class Rows>
i64 learn_rows(const Problem& problem) {
  const Rows rows(problem.rows);
  return problem.spec.scheme == Scheme::none ? learn_binary(rows, problem) : learn_multi(rows, problem);
}

i64 learn(const Problem& problem, bool single) {
  if (problem.rows.indptr)
    return single ? learn_rows<CSR<float>>(problem) : learn_rows<CSR<double>>(problem);
  return single ? learn_rows<Dense<float>>(problem) : learn_rows<Dense<double>>(problem);
}

const Rule* rule_of_name(const char* name) { return find_rule(name); }

}  // namespace INSTRUCTION_SET
