#include "kernel/spec.h"

#include <cstring>

#include "arithmetic/table.h"
#include "boundary/arrays.h"
#include "cpu.h"

namespace nb = nanobind;

KernelUpdates::KernelUpdates(const char* name, nb::tuple parameters, nb::object rule, const char* scheme,
                             nb::handle class_weight, double tie, double bias_sqnorm, std::int64_t K) {
  if (*name) {
    view.rule = arithmetic().rule(name);
    if (!view.rule || !view.rule->act)
      throw std::invalid_argument("rule must be one that moves w along x, and does nothing else.");
    for (nb::handle number : parameters) parameters_.push_back(nb::cast<double>(number));
    parameters_.resize(parameters_.size() + 2, 0.0);  // a rule may read two
    view.parameters = parameters_.data();
  } else {
    user_rule_.emplace(rule, "plain");
    view.rule = user_rule_->functions();
    view.parameters = user_rule_->parameters();
  }
  view.scheme = !std::strcmp(scheme, "Joint")       ? KernelScheme::joint
                : !std::strcmp(scheme, "OneVsRest") ? KernelScheme::one_vs_rest
                                                    : KernelScheme::binary;
  const arrays::Buffer<const double> factors(class_weight, "class_weight");
  class_weight_.assign(factors.data(), factors.data() + factors.size());
  view.class_weight = class_weight_.data();
  view.tie = tie;
  view.bias_sqnorm = bias_sqnorm;
  view.K = K;
  if (K < 1 || (view.scheme == KernelScheme::binary ? K != 1 : K != classes()))
    throw std::invalid_argument("K must be the number of weight vectors of the scheme.");
}
