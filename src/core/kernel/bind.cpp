// rosenblatt._core.kernel: kernel values, scores from them, and votes.

#include <algorithm>
#include <vector>

#include "arithmetic/table.h"
#include "bindings.h"
#include "boundary/arrays.h"
#include "cpu.h"
#include "kernel/problem.h"
#include "kernel/products.h"

void bind_learners(nanobind::module_& module);  // bind_learners.cpp

namespace {

namespace nb = nanobind;
using arrays::AnyBuffer;
using arrays::Buffer;
using arrays::check_indices;
using arrays::i64;
using arrays::Table;

ValuesView view_of(const AnyBuffer& values) {
  const bool single = values.holds<float>();
  return {single ? (const void*)values.numbers<const float>() : values.numbers<const double>(), single,
          values.size(), values.columns()};
}

void gaussian(nb::handle pairs, nb::handle own, nb::handle other, double gamma) {
  const Table<double> values(pairs, "pairs");
  const Buffer<const double> left(own, "own", values.size()), right(other, "other", values.columns());
  nb::gil_scoped_release release;
  arithmetic().kernel->gaussian(values.data(), left.data(), right.data(), values.size(),
                                values.columns(), gamma);
}

template <class T>
void write_min_sums(const AnyBuffer& A, nb::handle B_t, nb::handle sums) {
  const Table<const T> columns(B_t, "B_t", A.columns());
  const i64 m = columns.columns();
  const Table<T> target(sums, "sums", A.size(), m);
  const ValuesView view = view_of(A);
  std::vector<double> row(m);
  nb::gil_scoped_release release;
  arithmetic().kernel->dense_min_sums(view, columns.data(), m, row.data(), target.data());
}

void dense_min_sums(nb::handle matrix, nb::handle B_t, nb::handle sums) {
  const AnyBuffer A(matrix, "A", 2, false);
  A.holds<float>() ? write_min_sums<float>(A, B_t, sums) : write_min_sums<double>(A, B_t, sums);
}

// A matrix in CSR whose indices, of int64, lie below `bound`.
template <class T>
struct Sparse {
  Buffer<const T> data;
  Buffer<const i64> indices, indptr;
  Sparse(nb::handle data, nb::handle indices, nb::handle indptr, i64 bound)
      : data(data, "data"), indices(indices, "indices"), indptr(indptr, "indptr") {
    check_indices(this->indices, "indices", bound);
    const Buffer<const i64>& ends = this->indptr;
    if (ends.size() == 0 || ends[0] < 0 ||
        ends[ends.size() - 1] > std::min(this->data.size(), this->indices.size()))
      throw std::invalid_argument("indptr must lie within data and indices.");
    for (i64 i = 1; i < ends.size(); ++i)
      if (ends[i] < ends[i - 1]) throw std::invalid_argument("indptr must not decrease.");
  }
};

template <class T>
void add_min_sums(nb::args of, const AnyBuffer& target) {
  const Sparse<T> A(of[0], of[1], of[2], i64(nb::len(nb::object(of[5]))) - 1);
  const Sparse<T> B_t(of[3], of[4], of[5], target.columns());
  target.check_size(A.indptr.size() - 1);
  T* sums = target.numbers<T>();
  nb::gil_scoped_release release;
  add_sparse_min_sums(A.data.data(), A.indices.data(), A.indptr.data(), target.size(), B_t.data.data(),
                      B_t.indices.data(), B_t.indptr.data(), target.columns(), sums);
}

void sparse_min_sums(nb::args of) {
  if (of.size() != 7) throw std::invalid_argument("sparse_min_sums takes seven arrays.");
  const AnyBuffer target(of[6], "sums", 2, true);
  target.holds<float>() ? add_min_sums<float>(of, target) : add_min_sums<double>(of, target);
}

void apply_steps(nb::handle values, nb::handle slot, nb::handle column, nb::handle tau, nb::handle count,
                 nb::handle scores) {
  const AnyBuffer matrix(values, "values", 2, false);
  const Buffer<const i64> slots(slot, "slot"), columns(column, "column", slots.size()),
      counts(count, "count", slots.size());
  const Buffer<const double> taus(tau, "tau", slots.size());
  const Table<double> target(scores, "scores");
  target.check_columns(matrix.columns());
  check_indices(slots, "slot", matrix.size());
  check_indices(columns, "column", target.size());
  check_indices(counts, "count", matrix.columns() + 1);
  const ValuesView view = view_of(matrix);
  nb::gil_scoped_release release;
  arithmetic().kernel->apply_steps(view, slots.data(), columns.data(), taus.data(), counts.data(),
                                   slots.size(), target.data());
}

// f(numbers) with the type of a matrix.
template <class F>
void with_type(const AnyBuffer& values, F f) {
  if (values.holds<float>()) f(values.numbers<const float>());
  else f(values.numbers<const double>());
}

void bound_votes(nb::handle values, nb::handle slot, nb::handle tau, nb::handle survival, double tie,
                 double bias, nb::handle votes) {
  const AnyBuffer matrix(values, "values", 2, false);
  const Buffer<const i64> slots(slot, "slot");
  const Buffer<const double> taus(tau, "tau", slots.size()),
      survived(survival, "survival", slots.size() + 1);
  const Buffer<double> target(votes, "votes", matrix.size());
  check_indices(slots, "slot", matrix.columns());
  with_type(matrix, [&](const auto* numbers) {
    nb::gil_scoped_release release;
    add_votes(numbers, matrix.size(), matrix.columns(),
              {slots.data(), nullptr, taus.data(), survived.data(), slots.size(), bias}, tie,
              target.data());
  });
}

void bound_joint_votes(nb::handle values, nb::handle slot, nb::handle column, nb::handle tau,
                       nb::handle survival, double bias, nb::handle votes) {
  const AnyBuffer matrix(values, "values", 2, false);
  const Buffer<const i64> slots(slot, "slot"), columns(column, "column", slots.size());
  const Buffer<const double> taus(tau, "tau", slots.size()),
      survived(survival, "survival", slots.size());
  const Table<double> target(votes, "votes");
  target.check_size(matrix.size());
  check_indices(slots, "slot", matrix.columns());
  check_indices(columns, "column", target.columns());
  std::vector<double> scores(target.columns());
  with_type(matrix, [&](const auto* numbers) {
    nb::gil_scoped_release release;
    add_votes_jointly(numbers, matrix.size(), matrix.columns(),
                      {slots.data(), columns.data(), taus.data(), survived.data(), slots.size(), bias},
                      target.columns(), scores.data(), target.data());
  });
}

}  // namespace

void bind_kernel(nb::module_& module) {
  module.def("gaussian", gaussian, nb::arg("pairs"), nb::arg("own"), nb::arg("other"), nb::arg("gamma"));
  module.def("dense_min_sums", dense_min_sums, nb::arg("A"), nb::arg("B_t"), nb::arg("sums"));
  module.def("sparse_min_sums", sparse_min_sums);
  module.def("apply_steps", apply_steps, nb::arg("values"), nb::arg("slot"), nb::arg("column"),
             nb::arg("tau"), nb::arg("count"), nb::arg("scores"));
  module.def("add_votes", bound_votes, nb::arg("values"), nb::arg("slot"), nb::arg("tau"),
             nb::arg("survival"), nb::arg("tie"), nb::arg("bias"), nb::arg("votes"));
  module.def("add_votes_jointly", bound_joint_votes, nb::arg("values"), nb::arg("slot"),
             nb::arg("column"), nb::arg("tau"), nb::arg("survival"), nb::arg("bias"), nb::arg("votes"));
  bind_learners(module);
}
