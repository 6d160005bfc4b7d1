// The rate s of a weight from its sum c before and after an example, and how much it shrinks.

#pragma once

#include <cmath>

#include "arithmetic/lanes.h"
#include "linear/problem.h"

namespace INSTRUCTION_SET {

// The variance before the example, 1/(1 + c): AROW, CW, SCW.
struct VarianceBefore {
  explicit VarianceBefore(double) {}
  INLINE double rate(double before, double) const { return 1.0 / (1.0 + before); }
  INLINE double shrinkage(double, double) const { return 1.0; }
};

// 1/√c, with the gradient of the example; 0 where all gradients were 0: AdaGrad.
struct Gradients {
  explicit Gradients(double) {}
  INLINE double rate(double, double after) const { return after > 0.0 ? 1.0 / std::sqrt(after) : 0.0; }
  INLINE double shrinkage(double, double) const { return 1.0; }
};

// By the functions of a rule.
struct Called {
  const Rule& rule;
  const double* p;
  double rate(double before, double after) const { return rule.rate(p, before, after); }
  double shrinkage(double before, double after) const { return rule.shrinkage(p, before, after); }
};

// 1/(a + c), with the square of the example; w is v/(a + c) of a sum v: SOP, NAROW with a = 1.
struct Sum {
  double a;
  explicit Sum(double a) : a(a) {}
  INLINE double rate(double, double after) const { return 1.0 / (a + after); }
  INLINE double shrinkage(double before, double after) const { return (a + before) / (a + after); }
};

}  // namespace INSTRUCTION_SET
