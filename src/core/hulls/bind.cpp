// rosenblatt._core.hulls: the functions that Python sees.

#include "arithmetic/table.h"
#include "bindings.h"
#include "boundary/rows.h"
#include "cpu.h"
#include "hulls/problem.h"

namespace {

namespace nb = nanobind;
using arrays::Buffer;
using arrays::i64;
using arrays::Table;

// The arrays of an ActiveSet of engine/hulls.py.
struct ActiveArrays {
  Buffer<i64> size, rows;
  Buffer<double> alpha, w;
  Buffer<const double> offset;
  Table<double> L, Q;
  Buffer<const double> group_shift;
  Buffer<double> residual, direction, coordinates;
  Table<double> ones;
  Buffer<double> new_row, levels;

  explicit ActiveArrays(nb::handle set)
      : size(set.attr("size"), "size", 1),
        rows(set.attr("rows"), "rows"),
        alpha(set.attr("alpha"), "alpha", rows.size()),
        w(set.attr("w"), "w"),
        offset(set.attr("offset"), "offset", w.size()),
        L(set.attr("L"), "L", rows.size(), rows.size()),
        Q(set.attr("Q"), "Q"),
        group_shift(set.attr("group_shift"), "group_shift", 1),
        residual(set.attr("residual"), "residual", rows.size()),
        direction(set.attr("direction"), "direction", rows.size()),
        coordinates(set.attr("coordinates"), "coordinates", rows.size()),
        ones(set.attr("ones"), "ones", 2, rows.size()),
        new_row(set.attr("new_row"), "new_row", w.size() + 2),
        levels(set.attr("levels"), "levels", 3) {
    if (size[0] < 0 || size[0] > rows.size())
      throw std::invalid_argument("size must be within the capacity of the active set.");
    if (Q.size() > 0) {
      Q.check_size(rows.size());
      Q.check_columns(w.size() + 2);
    }
  }

  ActiveSet view() const {
    return {size.data(),
            rows.data(),
            alpha.data(),
            w.data(),
            offset.data(),
            L.data(),
            Q.size() > 0 ? Q.data() : nullptr,
            group_shift[0],
            residual.data(),
            direction.data(),
            coordinates.data(),
            ones.data(),
            new_row.data(),
            levels.data(),
            rows.size(),
            w.size()};
  }
};

// Rows with labels and groups, and the active set, checked where they are read.
struct Hull {
  ActiveArrays active;
  RowBuffers rows;
  Buffer<const double> y;
  Buffer<const i64> group;

  Hull(nb::tuple matrix, nb::handle y, nb::handle group, nb::handle set)
      : active(set),
        rows(matrix, active.w.size()),
        y(y, "y", rows.view.n),
        group(group, "group", rows.view.n) {
    for (i64 q = 0; q < active.size[0]; ++q) check_row(active.rows[q]);
  }
  void check_row(i64 i) const {
    rows.check_row(i);
    if (group[i] < 0 || group[i] > FREE) throw std::invalid_argument("group must be 0, 1 or FREE.");
  }
  HullRows view() const { return {rows.view, rows.single, y.data(), group.data()}; }
};

bool add_row(nb::tuple rows, nb::handle y, nb::handle group, nb::handle active, i64 i) {
  const Hull problem(rows, y, group, active);
  problem.check_row(i);
  if (problem.active.size[0] >= problem.active.rows.size())
    throw std::invalid_argument("The active set is full.");
  nb::gil_scoped_release release;
  return arithmetic().hulls->add_row(problem.view(), problem.active.view(), i);
}

i64 descend(nb::tuple rows, nb::handle y, nb::handle group, nb::handle candidates, nb::handle excluded,
            nb::handle active, double tol, double scale, double zero, i64 steps, bool keep_going) {
  const Hull problem(rows, y, group, active);
  const Buffer<const i64> numbers(candidates, "candidates");
  const Buffer<bool> mask(excluded, "excluded", problem.rows.view.n);
  const Descent how = {numbers.data(), numbers.size(), mask.data(), tol, scale, zero, steps, keep_going};
  nb::gil_scoped_release release;
  for (i64 n = 0; n < numbers.size(); ++n) problem.check_row(numbers[n]);
  return arithmetic().hulls->descend(problem.view(), problem.active.view(), how);
}

void recompute_w(nb::tuple rows, nb::handle y, nb::handle active) {
  const ActiveArrays set(active);
  const RowBuffers matrix(rows, set.w.size());
  const Buffer<const double> labels(y, "y", matrix.view.n);
  for (i64 q = 0; q < set.size[0]; ++q) matrix.check_row(set.rows[q]);
  nb::gil_scoped_release release;
  arithmetic().hulls->recompute_w({matrix.view, matrix.single, labels.data(), nullptr}, set.view());
}

void run_perceptron(nb::tuple rows, nb::handle y, double constant, i64 epochs, nb::handle w,
                    nb::handle mistakes, nb::handle outcome) {
  const Buffer<double> weights(w, "w");
  const RowBuffers matrix(rows, weights.size());
  const Buffer<const double> labels(y, "y", matrix.view.n);
  const Buffer<i64> counts(mistakes, "mistakes", matrix.view.n), result(outcome, "outcome", 2);
  nb::gil_scoped_release release;
  matrix.check_rows();
  arithmetic().hulls->run_perceptron({matrix.view, matrix.single, labels.data(), nullptr},
                                     {constant, epochs, weights.data(), counts.data(), result.data()});
}

}  // namespace

void bind_hulls(nb::module_& module) {
  module.def("add_row", add_row, nb::arg("rows"), nb::arg("y"), nb::arg("group"), nb::arg("active"),
             nb::arg("i"));
  module.def("descend", descend, nb::arg("rows"), nb::arg("y"), nb::arg("group"), nb::arg("candidates"),
             nb::arg("excluded"), nb::arg("active"), nb::arg("tol"), nb::arg("scale"), nb::arg("zero"),
             nb::arg("steps"), nb::arg("keep_going"));
  module.def("recompute_w", recompute_w, nb::arg("rows"), nb::arg("y"), nb::arg("active"));
  module.def("run_perceptron", run_perceptron, nb::arg("rows"), nb::arg("y"), nb::arg("constant"),
             nb::arg("epochs"), nb::arg("w"), nb::arg("mistakes"), nb::arg("outcome"));
}
