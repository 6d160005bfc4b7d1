// The rule without a choice: a blend of second-order logistic learners, see arithmetic/blend.h.

#pragma once

#include "arithmetic/rule.h"

namespace INSTRUCTION_SET {

constexpr Rule blended_rule(const char* name) {
  Rule rule = {};
  rule.name = name, rule.kind = Kind::blended;
  rule.loss = OfLogistic::loss<double>;
  return rule;
}

constexpr Rule auto_rules[] = {
    blended_rule("Auto"),
};

}  // namespace INSTRUCTION_SET
