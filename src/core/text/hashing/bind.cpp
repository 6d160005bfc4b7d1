// Bindings of hashing and of category columns; rosenblatt/_core/text.pyi says what they take.

#include "text/arrays.h"
#include "text/hashing/categories.h"
#include "text/hashing/hashed.h"
#include "text/hashing/murmur.h"

namespace rosenblatt::text {
namespace {

void require_bits(int bits) { require(bits >= 1 && bits <= 30, "bits must be from 1 to 30"); }

// Rows whose ends increase from 0 and lie within their columns and values.
SparseRows checked_rows(i32* columns, std::size_t n_columns, double* data, std::size_t n_data,
                        i64* indptr, std::size_t n_indptr) {
  require(n_columns == n_data && n_indptr > 0 && indptr[0] == 0, "rows begin at 0, with a value a column");
  for (std::size_t i = 1; i < n_indptr; ++i) require(indptr[i] >= indptr[i - 1], "ends of rows must increase");
  require(indptr[n_indptr - 1] <= i64(n_data), "rows must end within their values");
  return {columns, data, indptr, i64(n_indptr) - 1};
}

nb::object hash_names(const Bytes& bytes, const Array<const i64>& ends) {
  const Text text = text_of(bytes);
  const i64 n = i64(ends.size());
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
i32 hash_pieces(const Array<const u64>& words, const Array<const i64>& sizes) {
  require(words.size() == sizes.size(), "every word has a size");
  Murmur state;
  for (std::size_t k = 0; k < words.size(); ++k) {
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

i64 bound_sort(const Array<i32>& columns, const Array<double>& data, const Array<i64>& indptr, int bits) {
  require_bits(bits);
  const SparseRows rows = checked_rows(columns.data(), columns.size(), data.data(), data.size(),
                                       indptr.data(), indptr.size());
  return unlocked([&] { return sort_and_sum(rows, bits); });
}

nb::tuple bound_pairs(const Array<i32>& columns, const Array<double>& data, const Array<i64>& indptr,
                      const Array<const i16>& groups, const Array<const i64, 2>& pairs, i64 n_groups,
                      bool with_parents) {
  const SparseRows rows = checked_rows(columns.data(), columns.size(), data.data(), data.size(),
                                       indptr.data(), indptr.size());
  require(groups.size() == columns.size() && n_groups >= 0 && n_groups < 32768, "every entry has a group");
  for (std::size_t p = 0; p < groups.size(); ++p)
    require(groups.data()[p] < n_groups, "an entry's group is too large");
  std::vector<Pair> crossed;
  require(pairs.shape(1) == 2, "a pair has two groups");
  for (std::size_t k = 0; k < pairs.shape(0); ++k) {
    const Pair pair{pairs.data()[2 * k], pairs.data()[2 * k + 1]};
    for (const i64 group : {pair.one, pair.other})
      require(group >= 0 && group < n_groups, "a pair's group is out of range");
    crossed.push_back(pair);
  }
  Crossed out = unlocked([&] { return add_pairs(rows, groups.data(), crossed, n_groups, with_parents); });
  const bool fails = out.too_many >= 0 || out.too_large >= 0;
  const i64 entries = out.entries;
  return nb::make_tuple(
      nb::make_tuple(as_array(out.columns, entries), as_array(out.data, entries),
                     as_array(out.indptr, fails ? 0 : rows.rows + 1)),
      as_array(out.parents, with_parents ? entries : 0, 2), out.too_many, out.too_large);
}

void require_table(std::size_t size, int bits) {
  require_bits(bits);
  require(size == std::size_t{2} << bits, "the table must have two cells a column");
}

nb::object bound_new_hashes(const Array<const i32>& hashes, const Array<const i32>& table, int bits) {
  require_table(table.size(), bits);
  return as_array(
      unlocked([&] { return new_hashes(hashes.data(), i64(hashes.size()), table.data(), bits); }));
}

void bound_insert(const Array<i32>& table, int bits, const Array<const i32>& hashes, const Array<bool>& is_new) {
  require_table(table.size(), bits);
  require(hashes.size() == is_new.size(), "every hash is new or not");
  insert_hashes(table.data(), bits, hashes.data(), i64(hashes.size()), is_new.data());
}

nb::tuple bound_encode(const Bytes& bytes, const Array<const i64>& begins, const Array<const i64>& stops) {
  const Text text = text_of(bytes);
  require(begins.size() == stops.size() && begins.size() < 2147483647, "every word has a start and an end");
  for (std::size_t k = 0; k < begins.size(); ++k) {
    const i64 begin = begins.data()[k], stop = stops.data()[k];
    require(begin >= 0 && begin <= stop && stop <= text.size, "words must lie within the text");
  }
  Codes out = unlocked(
      [&] { return encode_words(text, begins.data(), stops.data(), i64(begins.size())); });
  return nb::make_tuple(as_array(out.codes, i64(begins.size())), as_array(out.firsts));
}

nb::tuple bound_assemble(const Array<const double, 2>& numbers, const Array<const i32, 2>& codes,
                         const Array<const i32>& of_numbers, const Array<const i32>& of_words,
                         const Array<const double>& values, const Array<const i64>& starts) {
  const i64 rows = i64(numbers.shape(0));
  require(of_numbers.size() == numbers.shape(1), "every number has a column");
  require(of_words.size() == values.size(), "every word has a column and a value");
  require(codes.shape(0) == starts.size() && (starts.size() == 0 || i64(codes.shape(1)) == rows),
          "every text column has codes and a start");
  const ColumnMap map{of_numbers.data(), of_words.data(),        values.data(),         starts.data(),
                      i64(of_numbers.size()), i64(of_words.size()), i64(starts.size())};
  AssembledRows out = unlocked([&] { return assemble_rows(numbers.data(), codes.data(), rows, map); });
  return nb::make_tuple(as_array(out.columns, out.entries), as_array(out.data, out.entries),
                        as_array(out.indptr, rows + 1));
}

}  // namespace

void bind_hashing(nb::module_& module) {
  bind(module, "hash_names", &hash_names);
  bind(module, "hash_pieces", &hash_pieces);
  bind(module, "column_of", &bound_column);
  bind(module, "sort_and_sum", &bound_sort);
  bind(module, "add_pairs", &bound_pairs);
  bind(module, "new_hashes", &bound_new_hashes);
  bind(module, "insert_hashes", &bound_insert);
  bind(module, "encode_words", &bound_encode);
  bind(module, "assemble_rows", &bound_assemble);
}

}  // namespace rosenblatt::text
