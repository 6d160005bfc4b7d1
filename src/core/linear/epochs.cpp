// Several epochs in one call: shuffling, learning, counting, and the stopping test.

#include <cstring>

#include "linear/learner.h"
#include "matrices/scores.h"
#include "matrices/shuffle.h"

namespace nb = nanobind;

using arrays::AnyBuffer;
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

bool Learner::epochs(nb::tuple rows, nb::handle y, nb::handle weight, nb::handle order,
                     std::optional<std::uint32_t> seed, nb::tuple test, nb::tuple records) {
  Examples examples(*this, rows, y, weight);
  const arrays::Buffer<int64_t> shuffled(order, "order");
  Problem& problem = examples.problem;
  const int64_t m = shuffled.size();
  problem.order = shuffled.data(), problem.m = m;
  problem.spec.pocket = false;
  const StateView& s = problem.state;

  std::deque<AnyBuffer> kept;
  const auto field = [&](nb::tuple record, std::size_t i, const char* name) -> const AnyBuffer& {
    return kept.emplace_back(record[i], name, arrays::ANY_AXES, true);
  };
  if (test.size() != 8) refuse("test", "a StopTest");
  StopTest stop = {nb::cast<double>(test[0]),
                   nb::cast<int64_t>(test[1]),
                   nb::cast<bool>(test[2]),
                   nullptr,
                   nullptr,
                   nullptr,
                   nullptr,
                   nullptr,
                   0};
  const AnyBuffer& costs = field(test, 3, "costs");
  stop.tests = costs.count();
  if (stop.tests > s.P) refuse("test", "of at most as many tests as weight vectors");
  stop.costs = costs.numbers<double>(stop.tests);
  stop.moves = field(test, 4, "moves").numbers<int64_t>(stop.tests);
  stop.best = field(test, 5, "best").numbers<double>(stop.tests);
  stop.stalled = field(test, 6, "stalled").numbers<int64_t>(stop.tests);
  stop.gave_up = field(test, 7, "gave_up").numbers<bool>(1);

  if (records.size() != 8) refuse("records", "an EpochRecords");
  int64_t* size = field(records, 0, "size").numbers<int64_t>(1);
  int64_t* bad = field(records, 1, "bad").numbers<int64_t>(1);
  const AnyBuffer& error_counts = field(records, 2, "errors");
  const int64_t capacity = error_counts.count();
  int64_t* errors = error_counts.numbers<int64_t>(capacity);
  int64_t* mistakes = field(records, 3, "mistakes").numbers<int64_t>(capacity * s.P);
  int64_t* updates = field(records, 4, "updates").numbers<int64_t>(capacity * s.P);
  double* losses = field(records, 5, "losses").numbers<double>(capacity * s.P);
  double* b = field(records, 6, "b").numbers<double>(capacity * s.P);
  double* norms = field(records, 7, "norms").numbers<double>(capacity);

  const Run run(*this);
  check_rows(problem);
  bool finished = false;
  for (int64_t e = 0; !finished && e < capacity; ++e) {
    if (seed) shuffle(shuffled.data(), m, *seed);
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
    norms[e] = arithmetic().scores->norm(s.W, single_, s.d * s.P);
    size[0] = e + 1;
    finished = should_stop(stop, s.active, s.P);
  }
  return finished;
}
