// Rules of a user's that were compiled when they ran: pointers to C functions, as a Rule.
//
// A function whose result is not finite is not believed: what compiled code cannot say, an error
// above all, the method says, which is called then.

#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "linear/user_rule.h"

// The functions take the numbers of the rule, and write one result to `results`, or two.
struct CompiledRule {
  // `rule` has the rule, its numbers and, by the names below, the addresses; `kind` is as in
  // UserRule.
  CompiledRule(nanobind::dict rule, const std::string& kind);
  CompiledRule(const CompiledRule&) = delete;

  const double* parameters() const { return reinterpret_cast<const double*>(this); }

  Rule functions = {};
  UserRule called;
  std::vector<double> numbers;

  using OfTwo = void (*)(const double* p, double a, double b, double* results);
  OfTwo loss, overlap;    // of score and y
  OfTwo needs_variance;   // of score and y: 0 or 1
  OfTwo rate, shrinkage;  // of the number of a weight, before and after
  void (*step)(const double* p, double score, double y, double seen, double weight, double* results);
  void (*rescale)(const double* p, double score, double y, double sqnorm, double wsqnorm, std::int64_t t,
                  std::int64_t k, double weight, double* results);
};
