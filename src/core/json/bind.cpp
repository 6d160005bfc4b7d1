// rosenblatt._core.json: the parsers that Python sees.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "json/examples.h"
#include "json/lines.h"

void bind_json(nanobind::module_& module) {
  namespace nb = nanobind;
  using rosenblatt::json::ExampleParser;
  using rosenblatt::json::LineParser;
  nb::class_<ExampleParser>(module, "ExampleParser")
      .def(nb::init<std::int64_t, std::int64_t, double>(), nb::arg("most_features"),
           nb::arg("longest_word"), nb::arg("largest"))
      .def("parse", &ExampleParser::parse, nb::arg("lines"));
  nb::class_<LineParser>(module, "LineParser")
      .def(nb::init<std::optional<std::string>, bool>(), nb::arg("target").none(), nb::arg("labelled"))
      .def("parse", &LineParser::parse, nb::arg("text"));
}
