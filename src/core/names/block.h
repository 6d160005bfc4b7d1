// Rows of names and numbers, one after the other, as a parser has read them.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace names {

// Examples: numbers by name, as one_hot gives them, labels and weights, and the bytes of each in the
// log of a service.
struct Block {
  std::vector<nanobind::object> names;
  std::vector<double> values;
  std::vector<std::int64_t> starts = {0};  // of the rows among names and values, and their end
  nanobind::list labels;
  std::vector<double> weights;
  std::string bodies;
  std::vector<std::int64_t> ends;  // of the bodies

  std::int64_t rows() const { return std::int64_t(ends.size()); }

  void check_range(std::int64_t start, std::int64_t stop) const {
    if (start < 0 || start > stop || stop > rows())
      throw std::invalid_argument("A part of a block must lie within it.");
  }
};

}  // namespace names
