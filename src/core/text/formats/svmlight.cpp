// Svmlight text: labels and sparse rows in one pass. rosenblatt.engine.text.svmlight has the grammar.

#include "text/formats/parsers.h"

namespace rosenblatt::text {
namespace {

ROSENBLATT_INLINE bool ends_token(Text text, i64 i) {
  const Byte byte = text[i];
  if (byte == RETURN) return text[i + 1] == NEWLINE;
  return byte == BLANK || byte == NEWLINE || byte == TAB || byte == '#';
}

// Returns the end of the `index:value` at `begin`, which is `begin` if it is malformed.
ROSENBLATT_INLINE i64 parse_entry(Text text, i64 begin, i64 largest, i64& index, double& value,
                                  bool& exact) {
  const i64 colon = parse_int(text, begin, index);
  if (colon == begin || text[colon] != ':' || index > largest) return begin;
  const i64 stop = parse_decimal(text, colon + 1, value, exact);
  return stop == colon + 1 || !ends_token(text, stop) ? begin : stop;
}

// The position after the next colon.
i64 after_colon(Text text, i64 i) {
  while (text[i] != ':') ++i;
  return i + 1;
}

// The end of the `qid:N` at `begin`, or `begin` if there is none.
ROSENBLATT_INLINE i64 skip_qid(Text text, i64 begin) {
  if (text[begin] != 'q' || text[begin + 1] != 'i' || text[begin + 2] != 'd' || text[begin + 3] != ':')
    return begin;
  i64 number;
  const i64 stop = parse_int(text, begin + 4, number);
  return stop > begin + 4 && ends_token(text, stop) ? stop : begin;
}

void scan(Text text, SvmlightOptions options, SvmlightRows& out) {
  double *labels = out.labels.data(), *data = out.data.data();
  i32* indices = out.indices.data();
  i64 rows = 0, entries = 0;
  bool increasing = true;
  out.indptr[0] = 0;
  const auto finish = [&](i64 error) ROSENBLATT_INLINED {
    out.rows = rows;
    out.entries = entries;
    out.increasing = increasing;
    out.error = error;
  };
  i64 i = 0;
  while (i < text.size) {
    i = skip_blanks(text, i);
    if (!ends_token(text, i)) {
      const i64 start = i;
      double value = 0.0;
      bool exact = true;
      if (options.labelled) {
        i = parse_decimal(text, start, value, exact);
        if (i == start || !ends_token(text, i)) return finish(start);
      }
      labels[rows] = value;
      out.starts[rows] = start;
      if (!exact) out.deferred.push_back({-1 - rows, 0, start, i});
      ++rows;
      i = skip_blanks(text, skip_qid(text, skip_blanks(text, i)));
      i64 before = -1;
      while (!ends_token(text, i)) {
        i64 index;
        const i64 stop = parse_entry(text, i, options.largest, index, value, exact);
        if (stop == i) {
          out.indptr[rows] = entries;
          return finish(i);
        }
        if (options.written && !tells_written(text, after_colon(text, i), stop, value))
          out.long_numbers.push_back({entries, 0, after_colon(text, i), stop});
        if (!exact) out.deferred.push_back({entries, 0, i, stop});
        data[entries] = value;
        indices[entries] = i32(index);
        ++entries;
        increasing = increasing && index > before;
        before = index;
        i = skip_blanks(text, stop);
      }
      out.indptr[rows] = entries;
    }
    while (text[i] != NEWLINE) ++i;
    ++i;
  }
  finish(-1);
}

}  // namespace

SvmlightRows scan_svmlight(Text text, SvmlightOptions options) {
  SvmlightRows out(count_bytes(text, ':', false));
  scan(text, options, out);
  return out;
}

}  // namespace rosenblatt::text
