// rosenblatt._core.linear: the functions that Python sees.

#include "bindings.h"
#include "linear/learner.h"

namespace nb = nanobind;

void bind_linear(nb::module_& module) {
  nb::class_<Learner>(module, "Learner")
      .def(nb::init<nb::tuple, nb::tuple>(), nb::arg("state"), nb::arg("spec"))
      .def("epoch", &Learner::epoch, nb::arg("rows"), nb::arg("y"), nb::arg("weight"),
           nb::arg("order"), nb::arg("log").none());
  module.def("has_rule", [](const char* name) { return arithmetic().rule(name) != nullptr; });
}
