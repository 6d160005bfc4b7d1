#include "linear/blend.h"

#include "arithmetic/table.h"
#include "cpu.h"

namespace nb = nanobind;

using arrays::refuse;
using std::int64_t;

void read_blend(StateView& s, nb::tuple own, std::deque<arrays::AnyBuffer>& kept) {
  if (own.size() != 8) refuse("state", "kept for this rule, with all arrays that it declares");
  const auto field = [&](std::size_t i) -> const arrays::AnyBuffer& {
    return kept.emplace_back(own[i], "an array of the rule", arrays::ANY_AXES, true);
  };
  BlendView& b = s.blend;
  b.columns = field(0).numbers<double>((s.d + 1) * blend_stride(s.P));
  b.sums = field(1).numbers<double>(2 * s.d);
  b.seen = field(2).numbers<int64_t>(s.d);
  b.dense = field(3).numbers<int64_t>(s.d);
  b.totals = field(4).numbers<double>(2);
  b.lists = field(5).numbers<int64_t>(2);
  b.coefficients = field(6).numbers<double>(TERMS * (1 + TERMS));
  b.precision = b.coefficients + TERMS;
  b.offsets = field(7).numbers<double>(s.P);
  // Of a file: a list beyond the columns would be written beyond the array, and a mean of no rows is no
  // number.
  const int64_t size = b.lists[0];
  if (!(b.totals[0] >= 0.0 && b.totals[0] < 1e15)) refuse("the count of rows", "one that there can be");
  bool valid = size <= s.d;
  for (int64_t at = 0; valid && at < size; ++at) {
    const int64_t j = b.dense[at];
    valid = j >= 0 && j < s.d && b.sums[2 * j + 1] > 0.0;
  }
  if (!valid) refuse("the dense columns", "columns that there are, and that have a mean");
}

BlendedWeights::BlendedWeights(nb::handle W, nb::handle b, nb::tuple own) {
  const auto& weights = kept_.emplace_back(W, "W", 2, true);
  state_.d = weights.size(), state_.P = weights.columns();
  single_ = weights.holds<float>();
  state_.W = single_ ? (void*)weights.numbers<float>() : weights.numbers<double>();
  state_.b = kept_.emplace_back(b, "b", 1, true).numbers<double>(state_.P);
  read_blend(state_, own, kept_);
}

void BlendedWeights::refresh() {
  if (stale()) arithmetic().refresh(state_, single_, nullptr, false, 0);
}

void BlendedWeights::refresh_row(const RowsView& rows, bool single, int64_t i) {
  if (stale()) arithmetic().refresh(state_, single_, &rows, single, i);
}
