// Rules of a user's: an object of Python whose methods the loops call, as the functions of a Rule.

#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "linear/problem.h"

// The methods of the object, bound to it. A loop has them in the place of a rule's hyperparameters,
// and holds the lock of Python. What a method raises ends the loop before its row has changed
// anything, but for what `rate`, `shrinkage`, `touch` and `move` raise, while weights move.
class UserRule {
 public:
  // `kind` is "plain", "confident", "full", "weightwise" or "rescaling".
  UserRule(nanobind::handle rule, const std::string& kind);

  const Rule* functions() const { return functions_; }
  const double* parameters() const { return reinterpret_cast<const double*>(this); }

 private:
  friend struct UserFunctions;

  // The arguments are NumPy's numbers: a division by zero gives an infinite number, and no error.
  nanobind::object number(double value) const { return float64_(value); }
  nanobind::object count(std::int64_t value) const { return int64_(value); }

  const Rule* functions_;
  nanobind::object float64_, int64_;
  nanobind::object loss_, step_, weighted_step_;                  // of all but those that rescale
  nanobind::object overlap_;                                      // of those that choose their row
  nanobind::object needs_variance_, rate_, shrinkage_;            // of those with a confidence
  nanobind::object rescale_, weighted_rescale_;                   // of those that rescale
  nanobind::object gradient_, weighted_gradient_, touch_, move_;  // of weightwise ones
  nanobind::object begin_, part_;
  Rule own_functions_ = {};
  int numbers_ = 0, counts_ = 0;
  bool softmax_ = false;
};
