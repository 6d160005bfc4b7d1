// The features of a row that a parser has read: numbers by name, as one_hot gives them.

#pragma once

#include <nanobind/nanobind.h>

#include <vector>

namespace names {

struct ParsedRow {
  std::vector<nanobind::object> names;
  std::vector<double> values;
  nanobind::object body;  // of the example, as the log of a service keeps it
};

}  // namespace names
