// Bindings of hashing and of category columns; rosenblatt/_core/text.pyi says what they take.

#include "text/hashing/categories.h"
#include "text/hashing/hashed.h"
#include "text/hashing/murmur.h"
#include "text/results.h"

namespace rosenblatt::text {
namespace {

void require_bits(int bits) { require(bits >= 1 && bits <= 30, "bits must be from 1 to 30"); }

// Rows whose ends increase from 0 and lie within their columns and values.
SparseRows checked_rows(const Buffer<i32>& columns, const Buffer<double>& data,
                        const Buffer<i64>& indptr) {
  const i64 rows = indptr.size() - 1;
  require(columns.size() == data.size() && rows >= 0 && indptr[0] == 0,
          "rows begin at 0, with a value a column");
  for (i64 i = 0; i < rows; ++i) require(indptr[i + 1] >= indptr[i], "ends of rows must increase");
  require(indptr[rows] <= data.size(), "rows must end within their values");
  return {columns.data(), data.data(), indptr.data(), rows};
}

nb::object hash_names(const Bytes& bytes, const Buffer<const i64>& ends) {
  const Text text = text_of(bytes);
  const i64 n = ends.size();
  Column<i32> hashes(n);
  i64 begin = 0;
  for (i64 k = 0; k < n; ++k) {
    const i64 end = ends.data()[k];
    require(end >= begin && end <= text.size, "the ends of names must increase in the text");
    hashes[k] = finalized(absorb_text({}, text, begin, end));
    begin = end;
  }
  return as_array(hashes, n);
}

// The hash of pieces: the first `sizes[k]` bytes of each word.
i32 hash_pieces(const Buffer<const u64>& words, const Buffer<const i64>& sizes) {
  require(words.size() == sizes.size(), "every word has a size");
  Murmur state;
  for (i64 k = 0; k < words.size(); ++k) {
    const i64 size = sizes.data()[k];
    require(size >= 0 && size <= 8, "a word has up to eight bytes");
    state = absorb(state, words.data()[k], int(size));
  }
  return finalized(state);
}

i32 bound_column(i32 hash, int bits) {
  require_bits(bits);
  return column_of(hash, bits);
}

i64 bound_sort(const Buffer<i32>& columns, const Buffer<double>& data, const Buffer<i64>& indptr,
               int bits) {
  require_bits(bits);
  const SparseRows rows = checked_rows(columns, data, indptr);
  return unlocked([&] { return sort_and_sum(rows, bits); });
}

nb::tuple bound_pairs(const Buffer<i32>& columns, const Buffer<double>& data, const Buffer<i64>& indptr,
                      const Buffer<const i16>& groups, const Buffer<const i64, 2>& pairs, i64 n_groups,
                      bool with_parents) {
  const SparseRows rows = checked_rows(columns, data, indptr);
  require(groups.size() == columns.size() && n_groups >= 0 && n_groups < 32768,
          "every entry has a group");
  for (i64 p = 0; p < groups.size(); ++p)
    require(groups.data()[p] < n_groups, "an entry's group is too large");
  std::vector<Pair> crossed;
  require(pairs.columns() == 2, "a pair has two groups");
  for (i64 k = 0; k < pairs.size(); ++k) {
    const Pair pair{pairs.data()[2 * k], pairs.data()[2 * k + 1]};
    for (const i64 group : {pair.one, pair.other})
      require(group >= 0 && group < n_groups, "a pair's group is out of range");
    crossed.push_back(pair);
  }
  Crossed out =
      unlocked([&] { return add_pairs(rows, groups.data(), crossed, n_groups, with_parents); });
  const bool fails = out.too_many >= 0 || out.too_large >= 0;
  const i64 entries = out.entries;
  return nb::make_tuple(nb::make_tuple(as_array(out.columns, entries), as_array(out.data, entries),
                                       as_array(out.indptr, fails ? 0 : rows.rows + 1)),
                        as_array(out.parents, with_parents ? entries : 0, 2), out.too_many,
                        out.too_large);
}

void require_table(i64 size, int bits) {
  require_bits(bits);
  require(size == i64{2} << bits, "the table must have two cells a column");
}

nb::object bound_new_hashes(const Buffer<const i32>& hashes, const Buffer<const i32>& table, int bits) {
  require_table(table.size(), bits);
  return as_array(
      unlocked([&] { return new_hashes(hashes.data(), hashes.size(), table.data(), bits); }));
}

void bound_insert(const Buffer<i32>& table, int bits, const Buffer<const i32>& hashes,
                  const Buffer<bool>& is_new) {
  require_table(table.size(), bits);
  require(hashes.size() == is_new.size(), "every hash is new or not");
  insert_hashes(table.data(), bits, hashes.data(), hashes.size(), is_new.data());
}

nb::tuple bound_encode(const Bytes& bytes, const Buffer<const i64>& begins,
                       const Buffer<const i64>& stops) {
  const Text text = text_of(bytes);
  require(begins.size() == stops.size() && begins.size() < 2147483647,
          "every word has a start and an end");
  for (i64 k = 0; k < begins.size(); ++k) {
    const i64 begin = begins.data()[k], stop = stops.data()[k];
    require(begin >= 0 && begin <= stop && stop <= text.size, "words must lie within the text");
  }
  Codes out = unlocked([&] { return encode_words(text, begins.data(), stops.data(), begins.size()); });
  return nb::make_tuple(as_array(out.codes, begins.size()), as_array(out.firsts));
}

nb::tuple bound_assemble(const Buffer<const double, 2>& numbers, const Buffer<const i32, 2>& codes,
                         const Buffer<const i32>& of_numbers, const Buffer<const i32>& of_words,
                         const Buffer<const double>& values, const Buffer<const i64>& starts) {
  const i64 rows = numbers.size();
  require(of_numbers.size() == numbers.columns(), "every number has a column");
  require(of_words.size() == values.size(), "every word has a column and a value");
  require(codes.size() == starts.size() && (starts.size() == 0 || codes.columns() == rows),
          "every text column has codes and a start");
  const ColumnMap map{of_numbers.data(), of_words.data(), values.data(), starts.data(),
                      of_numbers.size(), of_words.size(), starts.size()};
  AssembledRows out = unlocked([&] { return assemble_rows(numbers.data(), codes.data(), rows, map); });
  return nb::make_tuple(as_array(out.columns, out.entries), as_array(out.data, out.entries),
                        as_array(out.indptr, rows + 1));
}

}  // namespace

void bind_hashing(nb::module_& module) {
  module.def("hash_names", &hash_names);
  module.def("hash_pieces", &hash_pieces);
  module.def("column_of", &bound_column);
  module.def("sort_and_sum", &bound_sort);
  module.def("add_pairs", &bound_pairs);
  module.def("new_hashes", &bound_new_hashes);
  module.def("insert_hashes", &bound_insert);
  module.def("encode_words", &bound_encode);
  module.def("assemble_rows", &bound_assemble);
}

}  // namespace rosenblatt::text
