// rosenblatt._core.names: the functions that Python sees.

#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "names/path.h"

void bind_names(nanobind::module_& module) {
  namespace nb = nanobind;
  using names::Encoder;
  using names::ParsedRow;
  using names::Path;
  nb::class_<ParsedRow>(module, "ParsedRow")
      .def_prop_ro("body", [](const ParsedRow& row) { return row.body; });
  nb::class_<Encoder>(module, "Encoder")
      .def(nb::init<nb::dict, std::optional<names::i64>, nb::callable, names::i64>(),
           nb::arg("vocabulary"), nb::arg("limit").none(), nb::arg("as_numbers"), nb::arg("ignored"))
      .def("encode", &Encoder::encode, nb::arg("features"), nb::arg("add_names"))
      .def("encode_parsed", &Encoder::encode_parsed, nb::arg("features"), nb::arg("add_names"))
      .def("encode_many", &Encoder::encode_many, nb::arg("rows"), nb::arg("add_names"))
      .def("arrays", &Encoder::arrays)
      .def_prop_ro("ignored", &Encoder::ignored);
  auto path = nb::class_<Path>(module, "Path")
      .def(nb::init<Encoder&, RowScorer&, Learner*>(), nb::arg("encoder"), nb::arg("scorer"),
           nb::arg("learner").none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
           nb::keep_alive<1, 4>())
      .def("predict", &Path::predict, nb::arg("features"))
      .def("learn", &Path::learn, nb::arg("features"), nb::arg("y"), nb::arg("weight"),
           nb::arg("predict"))
      .def("learn_parsed", &Path::learn_parsed, nb::arg("rows"), nb::arg("y"), nb::arg("weight"));
  path.attr("BEYOND") = Path::BEYOND;
  path.attr("INFINITE") = Path::INFINITE;
}
