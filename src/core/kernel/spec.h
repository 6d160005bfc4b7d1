// An UpdateSpec of engine/multiclass.py as the kernel loops take it, kept for many calls.

#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

#include "kernel/problem.h"
#include "linear/user_rule.h"

class KernelUpdates {
 public:
  // `name` is that of a rule of the library, or empty: then `rule` is one of a user, whose methods
  // step, weighted_step and loss are called.
  KernelUpdates(const char* name, nanobind::tuple parameters, nanobind::object rule, const char* scheme,
                nanobind::handle class_weight, double tie, double bias_sqnorm, std::int64_t K);
  KernelUpdates(const KernelUpdates&) = delete;

  KernelSpec view = {};
  bool of_user() const { return user_rule_.has_value(); }  // its methods need the GIL
  std::int64_t classes() const { return std::int64_t(class_weight_.size()); }

 private:
  std::optional<UserRule> user_rule_;
  std::vector<double> parameters_, class_weight_;
};
