// Vowpal Wabbit text: labels, weights and hashed rows in one pass. The grammar is in
// rosenblatt.engine.text.vowpal_wabbit.

#include <cmath>

#include "text/formats/parsers.h"
#include "text/hashing/murmur.h"

namespace rosenblatt::text {
namespace {

// Marks the high bit of each byte below `bound` ≤ 128; bytes after the first may be wrong.
ROSENBLATT_INLINE u64 bytes_below(u64 word, u64 bound) {
  return (word - bound * ONES) & ~word & HIGH_BITS;
}

// The number of bytes at the start of the word, 0 to 8, that must belong to a name.
ROSENBLATT_INLINE int count_name_bytes(u64 word) {
  const u64 colons = word ^ ':' * ONES, bars = word ^ '|' * ONES;
  return bytes_before(bytes_below(word, BLANK + 1) | bytes_below(colons, 1) | bytes_below(bars, 1));
}

ROSENBLATT_INLINE bool ends_token(Text text, i64 i) {
  const Byte byte = text[i];
  return byte == BLANK || byte == TAB || byte == '|' || ends_line(text, i);
}

// Returns the end of the name at i (i if there is none), and continues the hash by its bytes.
ROSENBLATT_INLINE i64 hash_name(Text text, i64 i, Murmur& state) {
  u64 word = word_at(text, i);
  int n = count_name_bytes(word);
  while (n == 8 || !(text[i + n] == ':' || ends_token(text, i + n))) {
    if (n < 8) ++n;  // a control character, part of the name
    state = absorb(state, word, n);
    i += n;
    word = word_at(text, i);
    n = count_name_bytes(word);
  }
  state = absorb(state, word, n);
  return i + n;
}

// Returns the end of the number after a colon, 1 without one; −1 if it is malformed.
ROSENBLATT_INLINE i64 parse_optional_number(Text text, i64 colon, double& value, bool& exact) {
  if (text[colon] != ':') {
    value = 1.0;
    exact = true;
    return colon;
  }
  const i64 stop = parse_decimal(text, colon + 1, value, exact);
  return stop == colon + 1 || !ends_token(text, stop) ? -1 : stop;
}

// The end of the tag at i, or i if there is none.
ROSENBLATT_INLINE i64 skip_tag(Text text, i64 i) {
  i64 stop = i;
  while (!ends_token(text, stop)) ++stop;
  return text[i] == '\'' || text[stop] == '|' ? stop : i;
}

// A namespace: the end of its name and of its scale, the scale, and the hash that its features
// continue.
struct Namespace {
  i64 name_stop, stop;
  double scale;
  bool exact;
  Murmur hash;
};

// Returns the end of the number at `begin`, or writes `otherwise` at a tag or a bar; −1 if malformed.
i64 parse_head_number(Text text, i64 begin, double otherwise, double& value, bool& exact) {
  value = otherwise;
  exact = true;
  if (text[begin] == '|' || skip_tag(text, begin) > begin) return begin;
  const i64 stop = parse_decimal(text, begin, value, exact);
  return stop == begin || (text[stop] != BLANK && text[stop] != TAB) ? -1 : stop;
}

// `[name[:scale]]` at `begin`; it stops at −1 if the scale is malformed.
Namespace parse_namespace(Text text, i64 begin) {
  Namespace space{};
  space.name_stop = hash_name(text, begin, space.hash);
  space.stop = parse_optional_number(text, space.name_stop, space.scale, space.exact);
  if (space.name_stop > begin) space.hash = absorb(space.hash, '^', 1);
  else if (space.stop > space.name_stop) space.stop = -1;
  return space;
}

// Returns the end of `name[:value]` at `begin`; −1 if it is malformed or fits no float64.
ROSENBLATT_INLINE i64 parse_feature(Text text, i64 begin, const Namespace& space, i32& hash,
                                    double& value, bool& exact) {
  Murmur state = space.hash;
  const i64 name_stop = hash_name(text, begin, state);
  const i64 stop = parse_optional_number(text, name_stop, value, exact);
  value *= space.scale;
  hash = finalized(state);
  const bool too_large = std::isinf(value) && exact && space.exact;
  return name_stop == begin || too_large ? -1 : stop;
}

i64 end_of_name(Text text, i64 i) {
  Murmur state;
  return hash_name(text, i, state);
}

// The group whose name is the text from `begin` to `stop`; −1 if no group has it.
i16 find_group(Text text, i64 begin, i64 stop, const Groups& groups) {
  i64 start = 0;
  for (std::size_t group = 0; group < groups.ends.size(); ++group) {
    const i64 end = groups.ends[group], size = end - start;
    if (size == stop - begin &&
        (size == 0 || !std::memcmp(text.bytes + begin, groups.names.bytes + start, std::size_t(size))))
      return i16(group);
    start = end;
  }
  return -1;
}

void scan(Text text, WabbitOptions options, WabbitRows& out) {
  i32* hashes = out.hashes.data();
  double* data = out.data.data();
  const auto defer = [&](i64 begin, i64 stop, bool exact) ROSENBLATT_INLINED {
    if (!exact) out.deferred.push_back({0, 0, begin, stop});
  };
  i64 rows = 0, entries = 0, i = 0;
  out.indptr[0] = 0;
  const auto finish = [&](i64 error) ROSENBLATT_INLINED {
    out.rows = rows;
    out.entries = entries;
    out.error = error;
  };
  while (i < text.size) {
    i = skip_blanks(text, i);
    if (!ends_line(text, i)) {
      double label, weight;
      bool exact;
      i64 stop = parse_head_number(text, i, std::numeric_limits<double>::quiet_NaN(), label, exact);
      if (stop < 0 || (options.labelled && std::isnan(label))) return finish(i);
      defer(i, stop, exact);
      i = skip_blanks(text, stop);
      stop = parse_head_number(text, i, 1.0, weight, exact);
      if (stop < 0 || weight < 0.0) return finish(i);
      defer(i, stop, exact);
      i = skip_blanks(text, stop);
      const i64 tag = skip_tag(text, i);
      if (options.tagged) {
        out.tags[2 * rows] = i + (text[i] == '\'');
        out.tags[2 * rows + 1] = tag;
      }
      i = skip_blanks(text, tag);
      if (text[i] != '|') return finish(i);
      out.labels[rows] = label;
      out.weights[rows] = weight;
      ++rows;
      while (text[i] == '|') {
        const i64 start = i + 1;
        const Namespace space = parse_namespace(text, start);
        if (space.stop < 0) return finish(start);
        defer(start, space.stop, space.exact);
        const i16 group =
            options.groups ? find_group(text, start, space.name_stop, *options.groups) : i16(-1);
        i = skip_blanks(text, space.stop);
        while (!(text[i] == '|' || ends_line(text, i))) {
          const i64 begin = i;
          i32 hash;
          double value;
          stop = parse_feature(text, begin, space, hash, value, exact);
          if (stop < 0) return finish(begin);
          defer(begin, stop, exact);
          hashes[entries] = hash;
          data[entries] = value;
          if (options.groups) out.groups[entries] = group;
          if (options.named) out.name_starts[entries] = begin;
          entries += value != 0.0;
          i = skip_blanks(text, stop);
        }
      }
      out.indptr[rows] = entries;
    }
    while (text[i] != NEWLINE) ++i;
    ++i;
  }
  finish(-1);
}

}  // namespace

WabbitRows scan_vowpal_wabbit(Text text, WabbitOptions options) {
  WabbitRows out(count_bytes(text, BLANK, true), options);
  scan(text, options, out);
  return out;
}

void write_names(Text text, const i64* name_starts, i64 n, i64 most, std::vector<Byte>& letters,
                 i64* ends) {
  const auto append = [&](i64 begin, i64 stop, std::size_t limit) {
    for (i64 i = begin; i < stop && letters.size() < limit; ++i) letters.push_back(text[i]);
  };
  i64 last = 0, space = 0, space_end = end_of_name(text, 0);
  for (i64 k = 0; k < n; ++k) {
    const i64 begin = name_starts[k];
    i64 bar_end = begin;
    while (bar_end > last && text[bar_end - 1] != '|') --bar_end;
    if (bar_end > last) {  // else no bar since the last name: the same namespace
      space = bar_end;
      space_end = end_of_name(text, space);
    }
    last = begin;
    const std::size_t limit = letters.size() + std::size_t(most);
    if (space_end > space) {
      append(space, space_end, limit);
      if (letters.size() < limit) letters.push_back('^');
    }
    append(begin, end_of_name(text, begin), limit);
    ends[k] = i64(letters.size());
  }
}

}  // namespace rosenblatt::text
