// Svmlight text: labels and sparse rows in one pass. rosenblatt.engine.text.svmlight has the grammar.

#include "parsers.h"

namespace rosenblatt::text {
namespace {

ROSENBLATT_INLINE bool ends_token(Text text, i64 i) {
  const Byte byte = text[i];
  if (byte == RETURN) return text[i + 1] == NEWLINE;
  return byte == BLANK || byte == NEWLINE || byte == TAB || byte == '#';
}

struct Entry {
  i64 index, colon;
  Decimal value;
};

// `index:value` at `begin`; the value stops at `begin` if it is malformed.
ROSENBLATT_INLINE Entry parse_entry(Text text, i64 begin, i64 largest) {
  const Integer index = parse_int(text, begin);
  if (index.stop == begin || text[index.stop] != ':' || index.value > largest)
    return {0, 0, {begin, 0.0, false}};
  const Decimal value = parse_decimal(text, index.stop + 1);
  if (value.stop == index.stop + 1 || !ends_token(text, value.stop))
    return {0, 0, {begin, 0.0, false}};
  return {index.value, index.stop, value};
}

// The end of the `qid:N` at `begin`, or `begin` if there is none.
ROSENBLATT_INLINE i64 skip_qid(Text text, i64 begin) {
  if (text[begin] != 'q' || text[begin + 1] != 'i' || text[begin + 2] != 'd' || text[begin + 3] != ':')
    return begin;
  const i64 stop = parse_int(text, begin + 4).stop;
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
      Decimal label{i, 0.0, true};
      const i64 start = i;
      if (options.labelled) {
        label = parse_decimal(text, start);
        if (label.stop == start || !ends_token(text, label.stop)) return finish(start);
      }
      labels[rows] = label.value;
      out.starts[rows] = start;
      if (!label.exact) out.deferred.push_back({-1 - rows, 0, start, label.stop});
      ++rows;
      i = skip_blanks(text, skip_qid(text, skip_blanks(text, label.stop)));
      i64 before = -1;
      while (!ends_token(text, i)) {
        const Entry entry = parse_entry(text, i, options.largest);
        const Decimal value = entry.value;
        if (value.stop == i) {
          out.indptr[rows] = entries;
          return finish(i);
        }
        if (options.written && !tells_written(text, entry.colon + 1, value.stop, value.value))
          out.long_numbers.push_back({entries, 0, entry.colon + 1, value.stop});
        if (!value.exact) out.deferred.push_back({entries, 0, i, value.stop});
        data[entries] = value.value;
        indices[entries] = i32(entry.index);
        ++entries;
        increasing = increasing && entry.index > before;
        before = entry.index;
        i = skip_blanks(text, value.stop);
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
