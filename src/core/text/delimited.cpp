// Tables of fields: numbers and words in one pass. rosenblatt.engine.text.delimited has the grammar.

#include "parsers.h"

namespace rosenblatt::text {
namespace {

// A number in a field: its start and value, and the end of the field (−1: malformed).
struct Number {
  i64 begin;
  Decimal decimal;
  i64 end;
};

ROSENBLATT_INLINE bool is_blank(Byte byte, Byte separator) {
  return byte == BLANK || (byte == TAB && separator != TAB);
}

ROSENBLATT_INLINE i64 skip_blanks(Text text, i64 i, Byte separator) {
  while (is_blank(text[i], separator)) ++i;
  return i;
}

ROSENBLATT_INLINE Number parse_number(Text text, i64 begin, Byte separator, int quote) {
  const bool quoted = text[begin] == quote;
  const i64 first = skip_blanks(text, begin + quoted, separator);
  const Decimal number = parse_decimal(text, first);
  i64 end = skip_blanks(text, number.stop, separator);
  if (quoted) end = text[end] == QUOTE ? end + 1 : first;
  const bool is_number = number.stop > first && (text[end] == separator || ends_line(text, end));
  return {first, number, is_number ? end : -1};
}

ROSENBLATT_INLINE Cell parse_cell(Text text, i64 begin, Byte separator, int quote) {
  bool doubled = false;
  i64 i = begin, stop, end;
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
  if (end >= text.size || !(text[end] == separator || ends_line(text, end)))
    return {begin, stop, -1, doubled};
  while (begin < stop && is_blank(text[begin], separator)) ++begin;
  while (begin < stop && is_blank(text[stop - 1], separator)) --stop;
  return {begin, stop, end, doubled};
}

// The end of the field at `begin` if it spells a missing number, else −1.
i64 skip_missing(Text text, i64 begin, const Layout& layout) {
  const Cell cell = parse_cell(text, begin, layout.separator, layout.quote);
  i64 i = cell.begin;
  bool is_equal = true;
  for (i64 k = 0; k < layout.missing.size; ++k) {
    const Byte byte = layout.missing[k];
    if (byte != NEWLINE) {
      is_equal = is_equal && i < cell.stop && text[i] == byte;
      ++i;
    } else if (is_equal && i == cell.stop) {
      return cell.end;
    } else {
      i = cell.begin;
      is_equal = true;
    }
  }
  return -1;
}

}  // namespace

Cell parse_cell_at(Text text, i64 begin, Byte separator, int quote) {
  return parse_cell(text, begin, separator, quote);
}

Table scan_delimited(Text text, const Layout& layout) {
  Table out(count_bytes(text, QUOTE, false), layout);
  const i64 lines = out.counts.lines, last = i64(layout.numbers.size()) - 1;
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
        const Number number = parse_number(text, begin, separator, layout.quote);
        const Decimal decimal = number.decimal;
        numbers[column] = decimal.value;
        i = number.end;
        if (i < 0) {
          i = skip_missing(text, begin, layout);
          numbers[column] = std::numeric_limits<double>::quiet_NaN();
        } else {
          if (!decimal.exact) out.deferred.push_back({row, column, number.begin, decimal.stop});
          if (layout.written && !tells_written(text, number.begin, decimal.stop, decimal.value))
            out.long_numbers.push_back({row, column, number.begin, decimal.stop});
        }
      } else {
        const Cell cell = parse_cell(text, begin, separator, layout.quote);
        i = cell.end;
        if (word >= 0) {
          out.begins[word * lines + row] = cell.begin;
          out.stops[word * lines + row] = cell.stop;
          if (cell.doubled) out.doubled.push_back({row, word, cell.begin, cell.stop});
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
