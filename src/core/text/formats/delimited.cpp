// Tables of fields: numbers and words in one pass. rosenblatt.engine.text.delimited has the grammar.

#include "text/formats/parsers.h"

namespace rosenblatt::text {
namespace {

ROSENBLATT_INLINE bool is_blank(Byte byte, Byte separator) {
  return byte == BLANK || (byte == TAB && separator != TAB);
}

ROSENBLATT_INLINE i64 skip_blanks(Text text, i64 i, Byte separator) {
  while (is_blank(text[i], separator)) ++i;
  return i;
}

// Returns the end of the field at `begin` with a number (−1: malformed); writes where the number
// begins and stops.
ROSENBLATT_INLINE i64 parse_number(Text text, i64 begin, Byte separator, int quote, i64& first,
                                   i64& stop, double& value, bool& exact) {
  const bool quoted = text[begin] == quote;
  first = skip_blanks(text, begin + quoted, separator);
  stop = parse_decimal(text, first, value, exact);
  i64 end = skip_blanks(text, stop, separator);
  if (quoted) end = text[end] == QUOTE ? end + 1 : first;
  return stop > first && (text[end] == separator || ends_line(text, end)) ? end : -1;
}

// Returns the end of the field at `begin` (−1: wrong quotes), and moves `begin` to its content.
ROSENBLATT_INLINE i64 parse_cell(Text text, i64& begin, Byte separator, int quote, i64& stop,
                                 bool& doubled) {
  doubled = false;
  i64 i = begin, end;
  if (text[i] == quote) {
    begin = ++i;
    for (; i < text.size; ++i) {
      if (text[i] != QUOTE) continue;
      if (i + 1 == text.size || text[i + 1] != QUOTE) break;
      doubled = true;
      ++i;
    }
    stop = i;
    end = i + 1;
  } else {
    while (text[i] != separator && text[i] != NEWLINE && text[i] != RETURN) ++i;
    stop = end = i;
  }
  if (end >= text.size || !(text[end] == separator || ends_line(text, end))) return -1;
  while (begin < stop && is_blank(text[begin], separator)) ++begin;
  while (begin < stop && is_blank(text[stop - 1], separator)) --stop;
  return end;
}

// The end of the field at `begin` if it spells a missing number, else −1.
i64 skip_missing(Text text, i64 begin, const Layout& layout) {
  i64 stop;
  bool is_equal = true, doubled;
  const i64 end = parse_cell(text, begin, layout.separator, layout.quote, stop, doubled);
  i64 i = begin;
  for (i64 k = 0; k < layout.missing.size; ++k) {
    const Byte byte = layout.missing[k];
    if (byte != NEWLINE) {
      is_equal = is_equal && i < stop && text[i] == byte;
      ++i;
    } else if (is_equal && i == stop) {
      return end;
    } else {
      i = begin;
      is_equal = true;
    }
  }
  return -1;
}

bool spells(Text text, i64 begin, i64 stop, const char* word) {
  const i64 size = i64(std::strlen(word));
  return stop - begin == size && std::memcmp(text.bytes + begin, word, std::size_t(size)) == 0;
}

// The end of the field at `begin` if it spells true or false, as rosenblatt.engine.text.delimited
// lists them, whose value is 1 or 0; else −1.
i64 parse_truth(Text text, i64 begin, const Layout& layout, double& value) {
  i64 stop;
  bool doubled;
  const i64 end = parse_cell(text, begin, layout.separator, layout.quote, stop, doubled);
  for (const char* word : {"True", "true", "TRUE", "False", "false", "FALSE"}) {
    if (!spells(text, begin, stop, word)) continue;
    value = word[0] == 'T' || word[0] == 't';
    return end;
  }
  return -1;
}

}  // namespace

Cell parse_cell_at(Text text, i64 begin, Byte separator, int quote) {
  Cell cell{begin, begin, -1, false};
  cell.end = parse_cell(text, cell.begin, separator, quote, cell.stop, cell.doubled);
  return cell;
}

Table scan_delimited(Text text, const Layout& layout) {
  Table out(text, count_bytes(text, QUOTE, false), layout);
  const i64 last = i64(layout.numbers.size()) - 1;
  const Byte separator = layout.separator;
  i64 i = 0;
  for (; i < text.size; ++out.rows) {
    while (i < text.size && ends_line(text, i)) i += 1 + (text[i] == RETURN);
    if (i == text.size) break;
    const i64 row = out.rows;
    double* numbers = out.numbers.data() + row * layout.n_numbers;
    out.starts[row] = i;
    for (i64 field = 0; field <= last; ++field) {
      const i64 begin = i, column = layout.numbers[field], word = layout.words[field];
      if (column >= 0) {
        i64 first, stop;
        double value;
        bool exact;
        i = parse_number(text, begin, separator, layout.quote, first, stop, value, exact);
        numbers[column] = value;
        if (i < 0) {
          i = skip_missing(text, begin, layout);
          numbers[column] = std::numeric_limits<double>::quiet_NaN();
          if (i < 0) i = parse_truth(text, begin, layout, numbers[column]);
        } else {
          if (!exact) out.deferred.push_back({row, column, first, stop});
          if (layout.written && !tells_written(text, first, stop, value))
            out.long_numbers.push_back({row, column, first, stop});
        }
      } else {
        i64 first = begin, stop;
        bool doubled;
        i = parse_cell(text, first, separator, layout.quote, stop, doubled);
        if (word >= 0) {
          out.begins[word * out.capacity + row] = first;
          out.stops[word * out.capacity + row] = stop;
          if (doubled) out.doubled.push_back({row, word, first, stop});
        }
      }
      if (i < 0 || ends_line(text, i) != (field == last)) {
        out.error = begin;
        return out;
      }
      ++i;
    }
    i += text[i - 1] == RETURN;
  }
  return out;
}

}  // namespace rosenblatt::text
