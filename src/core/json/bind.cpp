// rosenblatt._core.json: the parsers that Python sees.

#include "bindings.h"
#include "json/examples.h"

void bind_json(nanobind::module_& module) {
  namespace nb = nanobind;
  using rosenblatt::json::ExampleParser;
  nb::class_<ExampleParser>(module, "ExampleParser")
      .def(nb::init<std::int64_t, std::int64_t, double>(), nb::arg("most_features"),
           nb::arg("longest_word"), nb::arg("largest"))
      .def("parse", &ExampleParser::parse, nb::arg("lines"));
}
