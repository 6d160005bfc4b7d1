// rosenblatt._core.matrices: scores of rows.

#include <memory>
#include <vector>

#include "arithmetic/table.h"
#include "bindings.h"
#include "boundary/rows.h"
#include "cpu.h"
#include "matrices/row_scorer.h"

namespace {

namespace nb = nanobind;
using arrays::AnyBuffer;
using arrays::Buffer;
using arrays::i64;
using arrays::Table;

// `adds`: to `out`, else they are written.
void bound_products(nb::tuple matrix, nb::handle weights, nb::handle out, bool adds) {
  const AnyBuffer W(weights, "W", 2, false);
  const WeightsView view = view_of(W);
  const RowBuffers rows(matrix, W.size());
  const Table<double> scores(out, "out");
  if (scores.size() > rows.view.n) throw std::invalid_argument("out must have a row for each row.");
  if (scores.columns() > view.P || scores.columns() < 1)
    throw std::invalid_argument("out must have a column for each weight vector.");
  std::vector<double> dots(BLOCK_ROWS * work_columns(view.P));
  nb::gil_scoped_release release;
  rows.check_pointers();
  if (!arithmetic().scores->products(rows.view, rows.single, view, scores.size(), scores.columns(), adds,
                                     dots.data(), scores.data()))
    RowBuffers::refuse();
}

double bound_largest_sqnorm(nb::tuple matrix, i64 n) {
  const RowBuffers rows(matrix, RowBuffers::ANY);
  if (n < 0 || n > rows.view.n) throw std::invalid_argument("n must be the number of rows, or less.");
  nb::gil_scoped_release release;
  rows.check_pointers();
  return arithmetic().scores->largest_sqnorm(rows.view, rows.single, n);
}

double bound_norm(nb::handle weights) {
  const AnyBuffer W(weights, "W", arrays::ANY_AXES, false);
  const bool single = W.holds<float>();
  const void* numbers = single ? (const void*)W.numbers<const float>() : W.numbers<const double>();
  nb::gil_scoped_release release;
  return arithmetic().scores->norm(numbers, single, W.count());
}

}  // namespace

void bind_scores(nb::module_& module) {
  module.def("products", bound_products, nb::arg("rows"), nb::arg("W"), nb::arg("out"),
             nb::arg("adds") = false);
  module.def("largest_sqnorm", bound_largest_sqnorm, nb::arg("rows"), nb::arg("n"));
  module.def("norm", bound_norm, nb::arg("W"));
  nb::class_<RowScorer>(module, "RowScorer")
      .def(nb::init<nb::handle, bool, double, nb::handle, nb::handle>(), nb::arg("state"),
           nb::arg("average"), nb::arg("tie"), nb::arg("row_index"), nb::arg("latest"))
      .def("score", &RowScorer::score_named, nb::arg("row"))
      .def("score", &RowScorer::score, nb::arg("row"))
      .def("predict", &RowScorer::predict_named, nb::arg("row"))
      .def("predict", &RowScorer::predict, nb::arg("row"));
}
