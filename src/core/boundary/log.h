// The record of steps at the boundary.

#pragma once

#include "boundary/arrays.h"
#include "linear/problem.h"

// A StepLog of engine/steps.py.
struct LogArrays {
  arrays::Buffer<std::int64_t> slot, column;
  arrays::Buffer<double> tau;
  arrays::Buffer<std::int64_t> t, size;

  explicit LogArrays(nanobind::handle log)
      : slot(log.attr("slot"), "slot"),
        column(log.attr("column"), "column", slot.size()),
        tau(log.attr("tau"), "tau", slot.size()),
        t(log.attr("t"), "t", slot.size()),
        size(log.attr("size"), "size", 1) {}
  LogView view() const { return {slot.data(), column.data(), tau.data(), t.data(), size.data()}; }
};
