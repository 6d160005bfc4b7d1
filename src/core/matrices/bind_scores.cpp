// rosenblatt._core.matrices: scores of rows.

#include <memory>
#include <vector>

#include "arithmetic/table.h"
#include "bindings.h"
#include "boundary/rows.h"
#include "cpu.h"
#include "matrices/scores.h"

namespace {

namespace nb = nanobind;
using arrays::AnyBuffer;
using arrays::Buffer;
using arrays::i64;
using arrays::Table;

WeightsView view_of(const AnyBuffer& W) {
  const i64 P = W.columns();
  if (P != 1 && P % 8 != 0) throw std::invalid_argument("W must have one column, or eights of them.");
  if (W.holds<float>()) return {W.numbers<const float>(), true, P};
  return {W.numbers<const double>(), false, P};
}

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
  if (!arithmetic().scores->products(rows.view, rows.single, view, scores.size(), scores.columns(),
                                     adds, dots.data(), scores.data()))
    RowBuffers::refuse();
}

double bound_largest_sqnorm(nb::tuple matrix, i64 n) {
  const RowBuffers rows(matrix, RowBuffers::ANY);
  if (n < 0 || n > rows.view.n) throw std::invalid_argument("n must be the number of rows, or less.");
  nb::gil_scoped_release release;
  rows.check_pointers();
  return arithmetic().scores->largest_sqnorm(rows.view, rows.single, n);
}

// The arrays of a state, kept for the scores of many single rows.
class RowScorer {
 public:
  RowScorer(nb::handle state, bool average, double tie, nb::handle row_index, nb::handle latest)
      : W_(state.attr("W"), "W", 2, false),
        U_(state.attr("U"), "U", 2, false),
        b_(state.attr("b"), "b", W_.columns()),
        ub_(state.attr("ub"), "ub", W_.columns()),
        scale_(state.attr("scale"), "scale", W_.columns()),
        area_(state.attr("area"), "area", W_.columns()),
        t_(state.attr("t"), "t", 1),
        row_index_(row_index, "row_index", 1),
        latest_(latest, "latest"),
        average_(average),
        tie_(tie),
        dots_(2 * work_columns(W_.columns())) {
    state_ = {view_of(W_), {nullptr, false, 0}, b_.data(), ub_.data(), scale_.data(), area_.data(), t_.data()};
    if (latest_.size() < 1 || latest_.size() > W_.columns())
      throw std::invalid_argument("latest must have a number for each weight vector.");
    if (!average) return;
    U_.check_size(W_.size());
    U_.check_columns(W_.columns());
    state_.U = view_of(U_);
  }

  void score(nb::tuple row) {
    const RowBuffers rows(row, W_.size());
    const i64 i = row_index_[0];
    rows.check_row(i);
    arithmetic().scores->score_row(rows.view, rows.single, i, state_, latest_.size(), average_,
                                   dots_.data(), latest_.data());
  }

  // The code of predict_codes.
  i64 predict(nb::tuple row) {
    score(row);
    const double* scores = latest_.data();
    if (latest_.size() == 1) return scores[0] > 0.0 || (tie_ == 1.0 && scores[0] == 0.0);
    i64 best = 0;
    for (i64 k = 1; k < latest_.size(); ++k)
      if (scores[k] > scores[best]) best = k;
    return best;
  }

 private:
  AnyBuffer W_, U_;
  Buffer<const double> b_, ub_, scale_, area_;
  Buffer<const i64> t_, row_index_;
  Buffer<double> latest_;
  bool average_;
  double tie_;
  std::vector<double> dots_;
  ScoreState state_;
};

}  // namespace

void bind_scores(nb::module_& module) {
  module.def("products", bound_products, nb::arg("rows"), nb::arg("W"), nb::arg("out"),
             nb::arg("adds") = false);
  module.def("largest_sqnorm", bound_largest_sqnorm, nb::arg("rows"), nb::arg("n"));
  nb::class_<RowScorer>(module, "RowScorer")
      .def(nb::init<nb::handle, bool, double, nb::handle, nb::handle>(), nb::arg("state"),
           nb::arg("average"), nb::arg("tie"), nb::arg("row_index"), nb::arg("latest"))
      .def("score", &RowScorer::score, nb::arg("row"))
      .def("predict", &RowScorer::predict, nb::arg("row"));
}
