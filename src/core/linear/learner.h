// The linear loops, bound to a state and to a rule with its options.

#pragma once

#include <nanobind/nanobind.h>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "arithmetic/table.h"
#include "boundary/rows.h"
#include "cpu.h"
#include "linear/compiled_rule.h"
#include "linear/problem.h"
#include "linear/user_rule.h"
#include "names/encoder.h"

// The arrays of a State, kept alive, and the options of an UpdateSpec.
class Learner {
 public:
  // `state` is a State; `spec` is what engine/linear/core.py makes of an UpdateSpec.
  Learner(nanobind::tuple state, nanobind::tuple spec);
  Learner(const Learner&) = delete;

  // Learn the examples once, in `order`; see epoch in engine/linear/loops.py. `log` is a StepLog.
  std::int64_t epoch(nanobind::tuple rows, nanobind::handle y, nanobind::handle weight,
                     nanobind::handle order, nanobind::object log);

  // Learn the first of `rows`, whose label is y; returns whether the weights are finite.
  bool row(nanobind::tuple rows, double y, double weight);
  bool named_row(const names::Encoder& row, double y, double weight);

  // Write the row that the rule chooses for each weight vector, see least_overlaps in
  // engine/linear/chosen.py.
  void choose(nanobind::tuple rows, nanobind::handle y, nanobind::handle weight, nanobind::handle order,
              nanobind::handle chosen);

  // Several epochs; see learn in engine/linear/epochs.py. `test` is a StopTest, `records` an
  // EpochRecords. Returns whether no weight vector is left to learn.
  bool epochs(nanobind::tuple rows, nanobind::handle y, nanobind::handle weight, nanobind::handle order,
              std::optional<std::uint32_t> seed, nanobind::tuple test, nanobind::tuple records);

 private:
  // The problem of an epoch on examples, whose arrays it keeps.
  struct Examples {
    RowBuffers rows;
    arrays::AnyBuffer y;
    arrays::Buffer<const double> weight;
    Problem problem;
    Examples(const Learner& learner, nanobind::tuple rows, nanobind::handle y, nanobind::handle weight);
  };
  RowsView view_of(const RowBuffers& rows) const;
  bool learn_first(const RowsView& rows, double y, double weight);
  bool in_range(const RowsView& rows) const;
  void check_rows(const Problem& problem) const;

  // Held while a loop runs: a rule of a user's needs the lock of Python, no other does.
  struct Run {
    explicit Run(const Learner& learner) {
      if (!learner.user_rule_) release.emplace();
    }
    std::optional<nanobind::gil_scoped_release> release;
  };

  std::deque<arrays::AnyBuffer> kept_;
  void read_own(nanobind::tuple own);
  void read_calibration(nanobind::tuple calibration);

  std::vector<double> parameters_, class_weight_;
  std::vector<double> unknown_;  // squared norms, for a rule that keeps none
  std::optional<UserRule> user_rule_;
  std::optional<CompiledRule> compiled_rule_;
  bool single_;  // weights of type float
  Problem problem_ = {};
  struct Free {
    void operator()(double* p) const;
  };
  std::unique_ptr<double[], Free> work_;
};
