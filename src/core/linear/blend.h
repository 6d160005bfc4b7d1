// The arrays of a blended rule, from a state, and the weights that follow from them.

#pragma once

#include <nanobind/nanobind.h>

#include <deque>

#include "boundary/arrays.h"
#include "linear/problem.h"

// Point the view at the arrays of a blended rule, in the order in which its class declares them; kept
// alive by `kept`.
void read_blend(StateView& s, nanobind::tuple own, std::deque<arrays::AnyBuffer>& kept);

// The weights of a blended state, which are written when someone asks for them.
class BlendedWeights {
 public:
  BlendedWeights(nanobind::handle W, nanobind::handle b, nanobind::tuple own);
  BlendedWeights(const BlendedWeights&) = delete;

  bool stale() const { return state_.blend.lists[1] != 0; }
  // All weights, or those that the score of row i takes; nothing where they are fresh.
  void refresh();
  void refresh_row(const RowsView& rows, bool single, std::int64_t i);

 private:
  std::deque<arrays::AnyBuffer> kept_;
  StateView state_ = {};
  bool single_;
};
