// The dot products of rows with several weight vectors, for one instruction set.

#include "arithmetic/csr.h"

namespace INSTRUCTION_SET {

template <class Rows, class U>
int score_rows(const Rows& rows, const i64* order, i64 n, i64 m, const U* W, i64 P, int vectors,
               double* dots, bool fetch, double* squares, bool wanted) {
  return rows.block_multi(order, n, m, W, P, vectors, fetch, dots, squares, wanted);
}

#define OF_WEIGHTS(Rows, U)                                                                     \
  template int score_rows(const Rows&, const i64*, i64, i64, const U*, i64, int, double*, bool, \
                          double*, bool);
#define OF_ROWS(Rows) OF_WEIGHTS(Rows, float) OF_WEIGHTS(Rows, double)
OF_ROWS(Dense<float>) OF_ROWS(Dense<double>) OF_ROWS(CSR<float>) OF_ROWS(CSR<double>)

}  // namespace INSTRUCTION_SET
