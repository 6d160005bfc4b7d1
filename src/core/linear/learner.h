// The linear loops, bound to a state and to a rule with its options.

#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <vector>

#include "arithmetic/table.h"
#include "arrays.h"
#include "cpu.h"
#include "linear/problem.h"
#include "names/encoder.h"

// The arrays of a State, kept alive, and the options of an UpdateSpec.
class Learner {
 public:
  // `state` is a State; `spec` is what engine/linear/core.py makes of an UpdateSpec.
  Learner(nanobind::tuple state, nanobind::tuple spec);
  Learner(const Learner&) = delete;

  // Learn the examples once, in `order`; see epoch in engine/linear/loops.py. `log` is a StepLog.
  std::int64_t epoch(nanobind::tuple rows, arrays::ReadOnly y, arrays::ReadOnly weight,
                     arrays::ReadOnly order, nanobind::object log);

  // Learn the first of `rows`, whose label is y; returns whether the weights are finite.
  bool row(nanobind::tuple rows, double y, double weight);
  bool named_row(const names::Encoder& row, double y, double weight);

  // Write the row that the rule chooses for each weight vector, see least_overlaps in
  // engine/linear/chosen.py.
  void choose(nanobind::tuple rows, arrays::ReadOnly y, arrays::ReadOnly weight,
              arrays::ReadOnly order, arrays::Any chosen);

  // Several epochs; see learn in engine/linear/epochs.py. `test` is a StopTest, `records` an
  // EpochRecords. Returns whether no weight vector is left to learn.
  bool epochs(nanobind::tuple rows, arrays::ReadOnly y, arrays::ReadOnly weight, arrays::Any order,
              std::optional<std::uint32_t> seed, nanobind::tuple test, nanobind::tuple records);

 private:
  RowsView view_rows(nanobind::tuple rows) const;
  bool learn_first(const RowsView& rows, double y, double weight);
  Problem bound(nanobind::tuple rows, const arrays::ReadOnly& y, const arrays::ReadOnly& weight,
                const std::int64_t* order, std::int64_t m) const;
  void check_rows(const Problem& problem) const;

  std::vector<arrays::Any> kept_;
  std::vector<double> parameters_, class_weight_;
  bool single_;  // weights of type float
  Problem problem_ = {};
  struct Free {
    void operator()(double* p) const;
  };
  std::unique_ptr<double[], Free> work_;
};
