// Scores and predictions of single rows by a state.

#pragma once

#include <vector>

#include "boundary/rows.h"
#include "cpu.h"
#include "linear/blend.h"
#include "matrices/scores.h"
#include "names/encoder.h"

inline WeightsView view_of(const arrays::AnyBuffer& W) {
  const std::int64_t P = W.columns();
  if (P != 1 && P % 8 != 0) throw std::invalid_argument("W must have one column, or eights of them.");
  if (W.holds<float>()) return {W.numbers<const float>(), true, P};
  return {W.numbers<const double>(), false, P};
}

// The arrays of a state, kept for the scores of many single rows.
class RowScorer {
 public:
  RowScorer(nanobind::handle state, bool average, double tie, nanobind::handle row_index,
            nanobind::handle latest)
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
    state_ = {view_of(W_),   {nullptr, false, 0}, b_.data(), ub_.data(),
              scale_.data(), area_.data(),        t_.data()};
    if (latest_.size() < 1 || latest_.size() > W_.columns())
      throw std::invalid_argument("latest must have a number for each weight vector.");
    nanobind::dict own = nanobind::cast<nanobind::dict>(state.attr("own"));
    if (own.contains("blend.lists"))
      blended_.emplace(state.attr("W"), state.attr("b"), nanobind::tuple(own.values()));
    if (!average) return;
    U_.check_size(W_.size());
    U_.check_columns(W_.columns());
    state_.U = view_of(U_);
  }

  std::int64_t features() const { return W_.size(); }

  void score(nanobind::tuple row) {
    const RowBuffers rows(row, W_.size());
    const std::int64_t i = row_index_[0];
    rows.check_row(i);
    if (blended_) blended_->refresh_row(rows.view, rows.single, i);
    score_view(rows.view, rows.single, i);
  }
  void score_named(const names::Encoder& row) {
    const RowsView view = row.view(W_.size());
    if (blended_) blended_->refresh_row(view, false, 0);
    score_view(view, false, 0);
  }

  std::int64_t predict(nanobind::tuple row) {
    score(row);
    return code();
  }
  std::int64_t predict_named(const names::Encoder& row) {
    score_named(row);
    return code();
  }

 private:
  void score_view(const RowsView& view, bool single, std::int64_t i) {
    arithmetic().scores->score_row(view, single, i, state_, latest_.size(), average_, dots_.data(),
                                   latest_.data());
  }

  // That of predict_codes.
  std::int64_t code() const {
    const double* scores = latest_.data();
    if (latest_.size() == 1) return scores[0] > 0.0 || (tie_ == 1.0 && scores[0] == 0.0);
    return best_of(scores, latest_.size());
  }

  arrays::AnyBuffer W_, U_;
  arrays::Buffer<const double> b_, ub_, scale_, area_;
  arrays::Buffer<const std::int64_t> t_, row_index_;
  arrays::Buffer<double> latest_;
  bool average_;
  double tie_;
  std::vector<double> dots_;
  std::optional<BlendedWeights> blended_;
  ScoreState state_;
};
