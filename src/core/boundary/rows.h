// Rows at the boundary: a Dense or CSR of engine/rows.py, as a view of its arrays.

#pragma once

#include <algorithm>
#include <optional>

#include "boundary/arrays.h"
#include "linear/problem.h"

class RowBuffers {
 public:
  RowsView view = {};
  bool single;  // values of float, else of double

  // A d for rows of any number of columns.
  static constexpr std::int64_t ANY = std::int64_t(1) << 32;

  // Dense rows (X,) have d columns; those of CSR (data, indices, indptr) are below d, see check_rows.
  RowBuffers(nanobind::tuple rows, std::int64_t d)
      : values_(first_of(rows), "X", rows.size() == 1 ? 2 : 1, false) {
    single = values_.holds<float>();
    view.values = single ? (const void*)values_.numbers<const float>() : values_.numbers<const double>();
    view.d = d;
    if (rows.size() == 1) {
      if (d != ANY) values_.check_columns(d);
      view.d = values_.columns();
      view.n = values_.size();
      return;
    }
    indices_.emplace(rows[1], "indices");
    indptr_.emplace(rows[2], "indptr");
    if (indptr_->size() == 0) throw std::invalid_argument("indptr must have a number.");
    view.indices = indices_->data();
    view.indptr = indptr_->data();
    view.n = indptr_->size() - 1;
    view.entries = std::min(values_.size(), indices_->size());
  }

  void check_row(std::int64_t i) const {
    if (i < 0 || i >= view.n) throw std::invalid_argument("The rows do not have such a row.");
    if (!view.indptr) return;
    check_ends(i);
    const std::int64_t start = view.indptr[i], stop = view.indptr[i + 1];
    std::uint32_t largest = 0;
    for (std::int64_t p = start; p < stop; ++p) largest = std::max(largest, view.indices[p]);
    if (start < stop && std::int64_t(largest) >= view.d) refuse();
  }

  // The ends of all rows.
  void check_pointers() const {
    if (!view.indptr) return;
    for (std::int64_t i = 0; i < view.n; ++i) check_ends(i);
  }

  void check_rows() const {
    if (!view.indptr) return;
    for (std::int64_t i = 0; i < view.n; ++i) check_row(i);
  }

  [[noreturn]] static void refuse() {
    throw std::invalid_argument("The rows point outside of their arrays.");
  }

 private:
  static nanobind::handle first_of(const nanobind::tuple& rows) {
    if (rows.size() != 1 && rows.size() != 3) throw std::invalid_argument("rows must be Dense or CSR.");
    return rows[0];
  }

  void check_ends(std::int64_t i) const {
    const std::int64_t start = view.indptr[i], stop = view.indptr[i + 1];
    if (start < 0 || start > stop || stop > view.entries) refuse();
  }

  arrays::AnyBuffer values_;
  std::optional<arrays::Buffer<const std::uint32_t>> indices_;
  std::optional<arrays::Buffer<const std::int64_t>> indptr_;
};
