// Category columns, see categories.h.

#include "categories.h"

#include <stdexcept>

namespace rosenblatt::text {

Codes encode_words(Text text, const i64* begins, const i64* stops, i64 cells) {
  Codes out{Column<i32>(cells), {}};
  std::size_t size = 1;
  while (size <= std::size_t(2 * cells)) size *= 2;
  std::vector<i32> table(size, -1);
  for (i64 cell = 0; cell < cells; ++cell) {
    const i64 begin = begins[cell], length = stops[cell] - begin;
    std::size_t slot = u32(finalized(absorb_text({}, text, begin, stops[cell]))) & (size - 1);
    for (; table[slot] >= 0; slot = (slot + 1) & (size - 1)) {
      const i64 first = out.firsts[std::size_t(table[slot])];
      if (stops[first] - begins[first] == length &&
          !std::memcmp(text.bytes + begin, text.bytes + begins[first], std::size_t(length)))
        break;
    }
    if (table[slot] < 0) {
      table[slot] = i32(out.firsts.size());
      out.firsts.push_back(cell);
    }
    out.codes[cell] = table[slot];
  }
  return out;
}

AssembledRows assemble_rows(const double* numbers, const i32* codes, i64 rows, const ColumnMap& map) {
  const i64 capacity = rows * (map.n_numbers + map.n_columns);
  AssembledRows out{Column<i32>(capacity), Column<double>(capacity), Column<i64>(rows + 1), 0};
  i64 entries = 0;
  out.indptr[0] = 0;
  const auto append = [&](i32 column, double value) {
    if (value == 0.0) return;
    out.columns[entries] = column;
    out.data[entries++] = value;
  };
  for (i64 row = 0; row < rows; ++row) {
    for (i64 j = 0; j < map.n_numbers; ++j) append(map.numbers[j], numbers[row * map.n_numbers + j]);
    for (i64 c = 0; c < map.n_columns; ++c) {
      const i64 word = map.starts[c] + codes[c * rows + row];
      if (word < 0 || word >= map.n_words) throw std::out_of_range("a code has no word");
      append(map.words[word], map.values[word]);
    }
    out.indptr[row + 1] = entries;
  }
  out.entries = entries;
  return out;
}

}  // namespace rosenblatt::text
