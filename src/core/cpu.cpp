#include "cpu.h"

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "all_sets.h"  // written by cmake/CMakeLists.txt: OF_ALL_SETS, of those that it compiles
#include "arithmetic/table.h"
#include "bindings.h"
#include "processor.h"

#define DECLARE(set)                  \
  namespace set {                     \
  extern const Arithmetic arithmetic; \
  }
OF_ALL_SETS(DECLARE)
#undef DECLARE

namespace {

// The sets that were compiled and that this processor has, the widest last.
std::vector<const Arithmetic*> available() {
  std::vector<const Arithmetic*> sets;
#define APPEND(set) \
  if (has(#set)) sets.push_back(&set::arithmetic);
  OF_ALL_SETS(APPEND)
#undef APPEND
  return sets;
}

// The widest set, or the one that the environment variable ROSENBLATT_CPU names.
const Arithmetic* choose() {
  const auto sets = available();
  const char* wish = std::getenv("ROSENBLATT_CPU");
  if (!wish || !*wish) return sets.back();
  std::string names;
  for (const Arithmetic* set : sets) {
    if (set->name == std::string(wish)) return set;
    names += (names.empty() ? "" : ", ") + std::string(set->name);
  }
  throw std::runtime_error("ROSENBLATT_CPU is " + std::string(wish) +
                           "; this processor and build have: " + names + ".");
}

const Arithmetic* chosen = nullptr;

}  // namespace

const Arithmetic& arithmetic() { return *chosen; }

void bind_cpu(nanobind::module_& module) {
  chosen = choose();
  module.attr("instruction_set") = chosen->name;
  nanobind::list names;
  for (const Arithmetic* set : available()) names.append(set->name);
  module.attr("instruction_sets") = nanobind::tuple(names);
}
