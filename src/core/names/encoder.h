// The vocabulary of a model of named features, and the row that was encoded last: learners and
// scorers take it as a row.

#pragma once

#include <optional>

#include "names/row.h"

namespace names {

class Encoder {
 public:
  // `as_numbers(row, i)` returns a row that one_hot does not take with numbers alone; i is its number
  // in a list, or None.
  Encoder(nb::dict vocabulary, std::optional<i64> limit, nb::callable as_numbers, i64 ignored);

  void encode(nb::dict features, bool add_names);
  void encode_row(const Block& block, i64 i, bool add_names);

  // Copies of the row: data, indices and indptr of a CSR matrix.
  nb::tuple arrays() const;

  // The same of all rows of a list. No name is added where a row is refused.
  nb::tuple encode_many(nb::list rows, bool add_names);

  // The same of all rows of a block, whose new names are added.
  nb::tuple encode_block(const Block& block);

  i64 ignored() const { return ignored_; }
  bool fits(i64 d) const { return row_.fits(d); }
  RowsView view(i64 d) const { return row_.view(d); }

 private:
  void find_slots(bool add_names);
  void read(NamedRow& row, nb::handle features, i64 i) const;  // i < 0: not of a list

  nb::dict vocabulary_;
  i64 limit_;
  nb::callable as_numbers_;
  i64 ignored_;
  bool busy_ = false;
  NamedRow row_;
};

}  // namespace names
