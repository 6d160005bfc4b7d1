// Category columns: integer codes of text cells, and sparse rows of numbers and categories.

#pragma once

#include "text/column.h"

namespace rosenblatt::text {

struct Codes {
  Column<i32> codes;        // of each cell: the index of its word
  std::vector<i64> firsts;  // the first cell of each word
};

// Encodes the cells of a column by a hash table, at most half full. Words whose hashes someone has
// chosen to collide are hashed with a secret.
Codes encode_words(Text text, const i64* begins, const i64* stops, i64 cells);

// The columns of a table's numbers and words in sparse rows; see rosenblatt.engine.text.categories.
struct ColumnMap {
  const i32 *numbers, *words;
  const double* values;  // of each word; 0 omits it
  const i64* starts;     // start of the words of each text column
  i64 n_numbers, n_words, n_columns;
};

struct AssembledRows {
  Column<i32> columns;
  Column<double> data;
  Column<i64> indptr;
  i64 entries;
};

// Assembles sparse rows of numbers (row after row) and words (column after column), without zeros.
// Throws std::out_of_range for a code that the map lacks.
AssembledRows assemble_rows(const double* numbers, const i32* codes, i64 rows, const ColumnMap& map);

}  // namespace rosenblatt::text
