// Several epochs in one call: shuffling, learning, counting, and the stopping test.

#include <cstring>

#include "linear/learner.h"
#include "matrices/shuffle.h"

namespace nb = nanobind;

using arrays::numbers;
using arrays::refuse;
using std::int64_t;

namespace {

// A StopTest of engine/linear/epochs.py.
struct StopTest {
  double tol;
  int64_t patience;
  bool always_moves;
  double* costs;
  int64_t* moves;
  double* best;
  int64_t* stalled;
  bool* gave_up;
  int64_t tests;
};

// Deactivate the weight vectors that are finished; returns whether none is left. A single test ends
// all of them.
bool should_stop(const StopTest& test, bool* active, int64_t P) {
  for (int64_t k = 0; k < test.tests; ++k) {
    const double cost = test.costs[k], best = test.best[k];
    test.stalled[k] = cost > best - test.tol ? test.stalled[k] + 1 : 0;
    if (cost < best || cost != cost) test.best[k] = cost;  // NaN stays
    bool finished = test.moves[k] == 0 && !test.always_moves;
    if (test.stalled[k] >= test.patience && !finished) {
      test.gave_up[0] = true;
      finished = true;
    }
    if (!finished) continue;
    const int64_t first = test.tests > 1 ? k : 0, last = test.tests > 1 ? k + 1 : P;
    for (int64_t column = first; column < last; ++column) active[column] = false;
  }
  for (int64_t column = 0; column < P; ++column)
    if (active[column]) return false;
  return true;
}

template <class T>
void copy_to(T* target, int64_t row, const T* source, int64_t size) {
  std::memcpy(target + row * size, source, size * sizeof(T));
}

}  // namespace

bool Learner::epochs(nb::tuple rows, arrays::ReadOnly y, arrays::ReadOnly weight, arrays::Any order,
                     std::optional<std::uint32_t> seed, nb::tuple test, nb::tuple records) {
  const int64_t m = order.size();
  int64_t* shuffled = numbers<int64_t>(order, "order", m);
  Problem problem = bound(rows, y, weight, shuffled, m);
  problem.spec.pocket = false;
  const StateView& s = problem.state;

  std::vector<arrays::Any> kept;
  kept.reserve(16);
  const auto field = [&](nb::tuple record, std::size_t i) -> const arrays::Any& {
    kept.push_back(arrays::cast<arrays::Any>(record[i], "an array of a record"));
    return kept.back();
  };
  if (test.size() != 8) refuse("test", "a StopTest");
  StopTest stop = {nb::cast<double>(test[0]), nb::cast<int64_t>(test[1]), nb::cast<bool>(test[2]),
                   nullptr, nullptr, nullptr, nullptr, nullptr, 0};
  stop.tests = field(test, 3).size();
  if (stop.tests > s.P) refuse("test", "of at most as many tests as weight vectors");
  stop.costs = numbers<double>(kept.back(), "costs", stop.tests);
  stop.moves = numbers<int64_t>(field(test, 4), "moves", stop.tests);
  stop.best = numbers<double>(field(test, 5), "best", stop.tests);
  stop.stalled = numbers<int64_t>(field(test, 6), "stalled", stop.tests);
  stop.gave_up = numbers<bool>(field(test, 7), "gave_up", 1);

  if (records.size() != 8) refuse("records", "an EpochRecords");
  int64_t* size = numbers<int64_t>(field(records, 0), "size", 1);
  int64_t* bad = numbers<int64_t>(field(records, 1), "bad", 1);
  const int64_t capacity = field(records, 2).size();
  int64_t* errors = numbers<int64_t>(kept.back(), "errors", capacity);
  int64_t* mistakes = numbers<int64_t>(field(records, 3), "mistakes", capacity * s.P);
  int64_t* updates = numbers<int64_t>(field(records, 4), "updates", capacity * s.P);
  double* losses = numbers<double>(field(records, 5), "losses", capacity * s.P);
  double* b = numbers<double>(field(records, 6), "b", capacity * s.P);
  const int64_t copies = capacity > 0 ? capacity - 1 : 0, numbers_of_W = s.d * s.P;
  const arrays::Any& W = field(records, 7);
  void* weights = single_ ? (void*)numbers<float>(W, "W", copies * numbers_of_W)
                          : (void*)numbers<double>(W, "W", copies * numbers_of_W);

  nb::gil_scoped_release release;
  check_rows(problem);
  bool finished = false;
  for (int64_t e = 0; !finished && e < capacity; ++e) {
    if (seed) shuffle(shuffled, m, *seed);
    if (e > 0) {
      if (single_) copy_to((float*)weights, e - 1, (const float*)s.W, numbers_of_W);
      else copy_to((double*)weights, e - 1, (const double*)s.W, numbers_of_W);
    }
    for (int64_t k = 0; k < s.P; ++k) s.losses[k] = 0.0;
    s.run[0] = s.run[1] = 0;
    for (int64_t k = 0; k < stop.tests; ++k) stop.moves[k] = -s.updates[k];
    const int64_t infinite = arithmetic().learn(problem, single_);
    if (bad[0] < 0) bad[0] = infinite;
    for (int64_t k = 0; k < stop.tests; ++k) {
      stop.moves[k] += s.updates[k];
      stop.costs[k] = s.losses[k] / double(m);
    }
    copy_to(errors, e, s.errors, 1);
    copy_to(mistakes, e, s.mistakes, s.P);
    copy_to(updates, e, s.updates, s.P);
    copy_to(losses, e, s.losses, s.P);
    copy_to(b, e, s.b, s.P);
    size[0] = e + 1;
    finished = should_stop(stop, s.active, s.P);
  }
  return finished;
}
