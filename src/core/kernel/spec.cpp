#include "kernel/spec.h"

#include <cstring>

#include "arithmetic/table.h"
#include "boundary/arrays.h"
#include "cpu.h"

namespace nb = nanobind;

// `p` stands for the methods of a user's rule, which KernelUpdates keeps. What they raise ends the
// loop before the row has changed anything.
Outcome KernelUpdates::act(const double* p, double score, double y, double sqnorm, double weight) {
  const auto& methods = *reinterpret_cast<const Methods*>(p);
  const nb::object tau = weight == 1.0 ? methods.step(score, y, sqnorm)
                                       : methods.weighted_step(score, y, sqnorm, weight);
  return {nb::cast<double>(nb::float_(tau)), nb::cast<double>(nb::float_(methods.loss(score, y)))};
}

const Rule KernelUpdates::OF_USER = [] {
  Rule rule = {};
  rule.name = "";
  rule.act = act;
  return rule;
}();

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
    view.rule = &OF_USER;
    methods_ = {rule.attr("step"), rule.attr("weighted_step"), rule.attr("loss")};
    view.parameters = reinterpret_cast<const double*>(&methods_);
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
