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

  // Add the rows of another block, which is left empty.
  void extend(Block& other) {
    if (&other == this) throw std::invalid_argument("A block cannot extend itself.");
    const std::int64_t entries = starts.back(), bytes = std::int64_t(bodies.size());
    names.reserve(names.size() + other.names.size());
    values.reserve(values.size() + other.values.size());
    starts.reserve(starts.size() + other.ends.size());
    weights.reserve(weights.size() + other.ends.size());
    ends.reserve(ends.size() + other.ends.size());
    bodies.reserve(bodies.size() + other.bodies.size());
    labels.extend(other.labels);
    // From here on nothing can fail.
    for (nanobind::object& name : other.names) names.push_back(std::move(name));
    values.insert(values.end(), other.values.begin(), other.values.end());
    for (std::size_t i = 1; i < other.starts.size(); ++i) starts.push_back(entries + other.starts[i]);
    weights.insert(weights.end(), other.weights.begin(), other.weights.end());
    for (const std::int64_t end : other.ends) ends.push_back(bytes + end);
    bodies += other.bodies;
    other = Block();
  }

  // Refuse rows from `start` on that are not there.
  void check_part(std::int64_t start, std::int64_t count) const {
    if (start < 0 || count < 0 || count > rows() || start > rows() - count)
      throw std::invalid_argument("A part of a block must lie within it.");
  }
};

}  // namespace names
