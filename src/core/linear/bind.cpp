// rosenblatt._core.linear: the functions that Python sees.

#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "linear/blend.h"
#include "linear/learner.h"

namespace nb = nanobind;

void bind_linear(nb::module_& module) {
  nb::class_<Learner>(module, "Learner")
      .def(nb::init<nb::tuple, nb::tuple>(), nb::arg("state"), nb::arg("spec"))
      .def("epoch", &Learner::epoch, nb::arg("rows"), nb::arg("y"), nb::arg("weight"), nb::arg("order"),
           nb::arg("log").none())
      .def("row", &Learner::named_row, nb::arg("rows"), nb::arg("y"), nb::arg("weight"))
      .def("row", &Learner::row, nb::arg("rows"), nb::arg("y"), nb::arg("weight"))
      .def("choose", &Learner::choose, nb::arg("rows"), nb::arg("y"), nb::arg("weight"),
           nb::arg("order"), nb::arg("chosen"))
      .def("epochs", &Learner::epochs, nb::arg("rows"), nb::arg("y"), nb::arg("weight"),
           nb::arg("order"), nb::arg("seed").none(), nb::arg("test"), nb::arg("records"));
  nb::class_<BlendedWeights>(module, "BlendedWeights")
      .def(nb::init<nb::handle, nb::handle, nb::tuple>(), nb::arg("W"), nb::arg("b"), nb::arg("own"))
      .def("refresh", &BlendedWeights::refresh);
}
