// A row of named features: its values, and its entries sorted by the slots of the names.
//
// No code of Python runs while a dict is walked: what could run some is kept, and asked afterwards.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "linear/problem.h"
#include "names/block.h"

namespace names {

namespace nb = nanobind;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

class NamedRow {
 public:
  NamedRow() = default;
  NamedRow(const NamedRow&) = delete;
  ~NamedRow();

  // Take the names and values of a dict; returns whether all values are numbers.
  bool read(PyObject* dict);

  // Take the names and values of row i of a block.
  void take(const Block& block, i64 i);

  // The position of the first value that is not finite, or −1.
  i64 first_infinite() const;

  // Find the slots of the names in the vocabulary, or else in `added`, which may be null. The slots
  // of the same name objects are kept while no name can have got one.
  void look_up(PyObject* vocabulary, PyObject* added);

  // Give each name without a slot the next one in `target`, whose first is `first`, up to the limit.
  void add_missing(PyObject* target, i64 first, i64 limit);

  // Write the entries, by increasing slots: the order in which the loops sum.
  void arrange();

  nb::handle name(i64 p) const { return names_[std::size_t(p)]; }
  double value(i64 p) const { return values_[std::size_t(p)]; }
  i64 missing() const { return missing_; }  // names without a slot
  i64 size() const { return indptr_[1]; }   // entries
  const double* data() const { return data_.data(); }
  const u32* indices() const { return indices_.data(); }

  // Whether all slots are below d.
  bool fits(i64 d) const { return size() == 0 || i64(indices_[std::size_t(size() - 1)]) < d; }

  // The row as the only one of a CSR matrix of d columns; throws unless it fits.
  RowsView view(i64 d) const;

 private:
  struct Other {
    std::size_t position;
    nb::object value;  // of a type that may run code of Python
  };
  bool read(const std::vector<Other>& others);
  void keep_keys();
  void sort();

  std::vector<PyObject*> names_;  // owned
  std::vector<PyObject*> keys_;   // of the dict that is read, borrowed
  std::vector<double> values_;
  std::vector<i64> slots_;  // of the names, −1 without one
  std::vector<u64> sorted_, spare_;
  std::vector<double> data_ = std::vector<double>(1);
  std::vector<u32> indices_ = std::vector<u32>(1);
  i64 indptr_[2] = {0, 0};
  i64 missing_ = 0, known_ = 0;  // known_: the size of the vocabulary when the slots were found
  bool found_ = false, arranged_ = false;
};

}  // namespace names
