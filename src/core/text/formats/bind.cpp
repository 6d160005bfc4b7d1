// Bindings of the scans; rosenblatt/_core/text.pyi says what they take and return.

#include "text/formats/parsers.h"
#include "text/results.h"

namespace rosenblatt::text {

nb::object as_array(const Spans& spans) {
  Column<i64> rows(4 * i64(spans.size()));
  i64 k = 0;
  for (const Span span : spans)
    for (const i64 number : {span.row, span.column, span.begin, span.stop}) rows[k++] = number;
  return as_array(rows, i64(spans.size()), 4);
}

namespace {

nb::tuple bound_records(const Bytes& bytes, int separator, bool quoted) {
  const Text text = text_of(bytes);
  const Records records = unlocked([&] { return complete_records(text, Byte(separator), quoted); });
  return nb::make_tuple(records.stop, records.quoted);
}

nb::tuple bound_svmlight(const Bytes& bytes, bool labelled, i64 largest, bool written) {
  const Text text = scanned(bytes);
  require(largest >= 0 && largest < 2147483647, "the largest index must fit 31 bits");
  SvmlightRows out = unlocked([&] { return scan_svmlight(text, {labelled, largest, written}); });
  const i64 rows = out.rows, entries = out.entries;
  return nb::make_tuple(nb::make_tuple(as_array(out.labels, rows), as_array(out.data, entries),
                                       as_array(out.indices, entries), as_array(out.indptr, rows + 1),
                                       as_array(out.starts, rows)),
                        nb::make_tuple(out.counts.lines, out.counts.plain), as_array(out.deferred),
                        as_array(out.long_numbers), out.increasing, out.error);
}

std::vector<i64> indices_of(const Buffer<const i64>& numbers, i64& count) {
  std::vector<i64> indices(numbers.data(), numbers.data() + numbers.size());
  count = 0;
  for (const i64 index : indices) {
    require(index < i64(indices.size()), "a field's index is too large");
    if (index >= count) count = index + 1;
  }
  return indices;
}

// A newline ends every scan: it may be neither mark.
void require_marks(int separator, int quote) {
  require(separator >= 0 && separator < 256 && separator != NEWLINE, "the separator must be a byte");
  require(quote == -1 || quote == QUOTE, "the quote must be -1 or that of CSV");
}

nb::tuple bound_delimited(const Bytes& bytes, const Buffer<const i64>& numbers,
                          const Buffer<const i64>& words, int separator, int quote, const Bytes& missing,
                          bool written) {
  const Text text = scanned(bytes);
  require(numbers.size() == words.size() && numbers.size() > 0, "fields are numbers or words");
  require_marks(separator, quote);
  Layout layout{{}, {}, 0, 0, Byte(separator), quote, scanned(missing), written};
  layout.numbers = indices_of(numbers, layout.n_numbers);
  layout.words = indices_of(words, layout.n_words);
  Table out = unlocked([&] { return scan_delimited(text, layout); });
  const i64 rows = out.rows + (out.error >= 0);  // one with an error counts
  return nb::make_tuple(
      nb::make_tuple(as_array(out.numbers, rows, layout.n_numbers),
                     as_array(out.begins, layout.n_words, out.capacity),
                     as_array(out.stops, layout.n_words, out.capacity), as_array(out.starts, rows)),
      nb::make_tuple(out.counts.lines, out.counts.plain), as_array(out.deferred), as_array(out.doubled),
      as_array(out.long_numbers), out.error);
}

nb::tuple bound_cell(const Bytes& bytes, i64 begin, int separator, int quote) {
  const Text text = scanned(bytes);
  require(begin >= 0 && begin < text.size, "the cell must begin in the text");
  require_marks(separator, quote);
  const Cell cell = parse_cell_at(text, begin, Byte(separator), quote);
  return nb::make_tuple(cell.begin, cell.stop, cell.end, cell.doubled);
}

nb::tuple bound_vowpal_wabbit(const Bytes& bytes, bool labelled, bool tagged, bool named,
                              const Bytes& names, const Buffer<const i64>& ends, bool grouped) {
  const Text text = scanned(bytes);
  Groups groups{text_of(names), {ends.data(), ends.data() + ends.size()}};
  require(ends.size() < 32768, "there are too many groups");
  i64 start = 0;
  for (const i64 end : groups.ends) {
    require(end >= start && end <= groups.names.size, "the ends of names must increase");
    start = end;
  }
  const WabbitOptions options{labelled, tagged, named, grouped ? &groups : nullptr};
  WabbitRows out = unlocked([&] { return scan_vowpal_wabbit(text, options); });
  const i64 rows = out.rows, entries = out.entries;
  return nb::make_tuple(nb::make_tuple(as_array(out.labels, rows), as_array(out.weights, rows)),
                        nb::make_tuple(as_array(out.hashes, entries), as_array(out.data, entries),
                                       as_array(out.indptr, rows + 1)),
                        nb::make_tuple(out.counts.lines, out.counts.plain),
                        nb::make_tuple(as_array(out.groups, grouped ? entries : 0),
                                       as_array(out.name_starts, named ? entries : 0),
                                       as_array(out.tags, tagged ? rows : 0, 2)),
                        as_array(out.deferred), out.error);
}

nb::tuple bound_names(const Bytes& bytes, const Buffer<const i64>& starts, i64 most) {
  const Text text = scanned(bytes);
  const i64 n = starts.size();
  for (i64 k = 0; k < n; ++k) {
    const i64 start = starts.data()[k];
    require(start >= (k ? starts.data()[k - 1] : 0) && start < text.size,
            "starts must increase in the text");
  }
  Column<i64> ends(n);
  std::vector<Byte> letters;
  unlocked([&] { write_names(text, starts.data(), n, most, letters, ends.data()); });
  return nb::make_tuple(nb::bytes(reinterpret_cast<const char*>(letters.data()), letters.size()),
                        as_array(ends, n));
}

nb::tuple bound_written(const Bytes& bytes, const Buffer<const i64, 2>& spans) {
  const Text text = scanned(bytes);
  require(spans.columns() == 2, "a span has a start and an end");
  const i64 n = spans.size();
  Column<i64> digits(n), powers(n);
  Column<bool> fits(n);
  for (i64 k = 0; k < n; ++k) {
    const i64 begin = spans.data()[2 * k], stop = spans.data()[2 * k + 1];
    require(begin >= 0 && begin < stop && stop < text.size, "a span must end within the text");
    const Written number = read_written(text, begin, stop);
    digits[k] = number.digits;
    powers[k] = number.power;
    fits[k] = number.fits;
  }
  return nb::make_tuple(as_array(digits, n), as_array(powers, n), as_array(fits, n));
}

bool bound_tells(const Bytes& bytes, i64 begin, i64 stop, double value) {
  require(begin >= 0 && begin <= stop && stop <= bytes.size(), "the number must lie in the text");
  return tells_written(text_of(bytes), begin, stop, value);
}

nb::tuple bound_decimal(const Bytes& bytes, i64 begin) {
  const Text text = scanned(bytes);
  require(begin >= 0 && begin < text.size, "the number must begin in the text");
  double value;
  bool exact;
  const i64 stop = parse_decimal(text, begin, value, exact);
  return nb::make_tuple(stop, value, exact);
}

nb::tuple bound_int(const Bytes& bytes, i64 begin) {
  const Text text = scanned(bytes);
  require(begin >= 0 && begin < text.size, "the number must begin in the text");
  i64 number;
  const i64 stop = parse_int(text, begin, number);
  return nb::make_tuple(stop, number);
}

}  // namespace

void bind_formats(nb::module_& module) {
  module.def("complete_records", &bound_records);
  module.def("scan_svmlight", &bound_svmlight);
  module.def("scan_delimited", &bound_delimited);
  module.def("parse_cell", &bound_cell);
  module.def("scan_vowpal_wabbit", &bound_vowpal_wabbit);
  module.def("write_names", &bound_names);
  module.def("read_written", &bound_written);
  module.def("tells_written", &bound_tells);
  module.def("parse_decimal", &bound_decimal);
  module.def("parse_int", &bound_int);
  module.def("nearest_float", &nearest_float);
}

}  // namespace rosenblatt::text
