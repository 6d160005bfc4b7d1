// Rows of hashed names: sorted and summed, the pairs of crossed groups, and the collision table.

#pragma once

#include "text/column.h"

namespace rosenblatt::text {

struct SparseRows {
  i32* columns;
  double* data;
  i64* indptr;
  i64 rows;
};

// Sorts the columns of each row, and sums the values of equal columns in their order in the row.
//
// Hashes are replaced by their columns below 2^bits, and values get the signs of their hashes. The
// rows are closed up in place. Returns the number of entries.
i64 sort_and_sum(SparseRows rows, int bits);

// --- interactions --------------------------------------------------------------------------------
// The pair of x with hash h and y with hash k is a feature of value x·y with the hash
// h · 16777619 xor k, modulo 2³² and signed.

constexpr i64 MAX_ENTRIES = i64{1} << 24;  // of a row, pairs included

struct Pair {
  i64 one, other;  // groups
};

struct Crossed {
  Column<i32> columns{0};
  Column<double> data{0};
  Column<i64> indptr{0};
  Column<i32> parents{0};  // for a pair the hashes of both parts, else zeros
  i64 entries = 0;
  i64 too_many = -1, too_large = -1;  // the first row with too many entries, or an infinite product
};

// Appends the pairs of crossed groups to each row; `groups` has the group of each entry, −1 for none.
Crossed add_pairs(SparseRows rows, const i16* groups, const std::vector<Pair>& pairs, i64 n_groups,
                  bool with_parents);

// --- collisions ----------------------------------------------------------------------------------
// The table has two cells for each of 2^bits columns: the first hash that fell into it, and the first
// different one. 0 is an empty cell; the hash 0 is stored as −2³¹, which falls into the same column.

// The positions of hashes that would change the table; a hash may occur several times.
std::vector<i64> new_hashes(const i32* hashes, i64 n, const i32* table, int bits);

// Inserts hashes; writes whether each was new.
void insert_hashes(i32* table, int bits, const i32* hashes, i64 n, bool* is_new);

}  // namespace rosenblatt::text
