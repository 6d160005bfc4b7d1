// What the search for a point of least norm works on, as plain pointers.
//
// Everything here is data, shared by all instruction sets; bind.cpp checks every length and index.

#pragma once

#include <cstdint>

#include "linear/problem.h"

// Rows z_i = y_i x_i in groups: 0 and 1, whose weights sum to 1, and FREE.
constexpr std::int64_t FREE = 2;

struct HullRows {
  RowsView rows;
  bool single;  // rows of float, else of double
  const double* y;
  const std::int64_t* group;
};

// The arrays of an ActiveSet of engine/hulls.py, by its names.
struct ActiveSet {
  std::int64_t *size, *rows;  // of which the first `size` are used, of `capacity`
  double *alpha, *w;
  const double* offset;
  double* L;  // (capacity, capacity)
  double* Q;  // (capacity, d + 2), or null
  double group_shift;
  double *residual, *direction, *coordinates;
  double* ones;  // (2, capacity)
  double *new_row, *levels;
  std::int64_t capacity, d;
};

// Options of a descent, see engine/hulls.py.
struct Descent {
  const std::int64_t* candidates;
  std::int64_t m;  // their number
  bool* excluded;
  double tol, scale, zero;
  std::int64_t steps;
  bool keep_going;
};

// Results of a descent, as in engine/hulls.py.
enum class Outcomes : std::int64_t { optimal, zero, stalled, full, step_limit };

struct PerceptronRun {
  double constant;
  std::int64_t epochs;
  double* w;
  std::int64_t* mistakes;
  std::int64_t* outcome;  // epochs, and whether the last had no mistake
};

// The functions of an instruction set.
struct HullFunctions {
  bool (*add_row)(const HullRows&, const ActiveSet&, std::int64_t i);
  std::int64_t (*descend)(const HullRows&, const ActiveSet&, const Descent&);
  void (*recompute_w)(const HullRows&, const ActiveSet&);
  void (*run_perceptron)(const HullRows&, const PerceptronRun&);
};
