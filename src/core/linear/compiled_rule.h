// Rules of a user's that were compiled when they ran: pointers to C functions, as a Rule.

#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "linear/problem.h"

// The functions take the numbers of the rule. Those with two results write them to `results`.
struct CompiledRule {
  // `rule` has the numbers and, by the names below, the addresses; `kind` is as in UserRule.
  CompiledRule(nanobind::dict rule, const std::string& kind);
  CompiledRule(const CompiledRule&) = delete;

  const double* parameters() const { return reinterpret_cast<const double*>(this); }

  Rule functions = {};
  std::vector<double> numbers;

  double (*loss)(const double* p, double score, double y);
  double (*overlap)(const double* p, double score, double y);
  double (*needs_variance)(const double* p, double score, double y);  // 0 or 1
  double (*rate)(const double* p, double before, double after);
  double (*shrinkage)(const double* p, double before, double after);
  double (*step)(const double* p, double score, double y, double sqnorm, double weight);
  void (*confident_step)(const double* p, double score, double y, double variance, double weight,
                         double* results);
  void (*rescale)(const double* p, double score, double y, double sqnorm, double wsqnorm,
                  std::int64_t t, std::int64_t k, double weight, double* results);
};
