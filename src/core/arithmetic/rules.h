// The library's rules, by the names of their classes, for one instruction set.

#pragma once

#include "all_rules.h"  // written by cmake/CMakeLists.txt: the headers of rules/, and OF_ALL_RULES

namespace INSTRUCTION_SET {

inline const Rule* find_rule(const char* name) {
#define FIND(header)                      \
  for (const Rule& rule : header##_rules) \
    if (std::strcmp(rule.name, name) == 0) return &rule;
  OF_ALL_RULES(FIND)
#undef FIND
  return nullptr;
}

}  // namespace INSTRUCTION_SET
