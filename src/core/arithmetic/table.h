// The table of functions of an instruction set.
//
// Every file of this folder is compiled once for each set, in a namespace of the set's name: two
// sets never share a function, which the linker could otherwise mix (the one definition rule).

#pragma once

#include <cstdint>

struct Problem;
struct RowsView;
struct Rule;
struct StateView;
struct HullFunctions;    // hulls/problem.h
struct KernelFunctions;  // kernel/problem.h
struct ScoreFunctions;   // matrices/scores.h

struct Arithmetic {
  const char* name;
  // One epoch, see learn_binary; `single`: of float, else of double.
  std::int64_t (*learn)(const Problem&, bool single);
  // The rows that a rule chooses, see least_overlaps.
  void (*scan)(const Problem&, bool single, std::int64_t* chosen);
  // The weights of a blended rule: those of row i, or of all where there are no rows.
  void (*refresh)(const StateView&, bool single, const RowsView* rows, bool single_rows, std::int64_t i);
  // A rule of the library by the name of its class, or null.
  const Rule* (*rule)(const char* name);
  const HullFunctions* hulls;
  const ScoreFunctions* scores;
  const KernelFunctions* kernel;
};
