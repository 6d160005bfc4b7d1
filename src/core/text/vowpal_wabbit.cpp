// Vowpal Wabbit text: labels, weights and hashed rows in one pass. The grammar is in
// rosenblatt.engine.text.vowpal_wabbit.

#include <cmath>

#include "parsers.h"

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

struct Name {
  i64 stop;
  Murmur hash;
};

// The end of the name at i (i if there is none), and the hash with its bytes.
ROSENBLATT_INLINE Name hash_name(Text text, i64 i, Murmur state) {
  u64 word = word_at(text, i);
  int n = count_name_bytes(word);
  while (n == 8 || !(text[i + n] == ':' || ends_token(text, i + n))) {
    if (n < 8) ++n;  // a control character, part of the name
    state = absorb(state, word, n);
    i += n;
    word = word_at(text, i);
    n = count_name_bytes(word);
  }
  return {i + n, absorb(state, word, n)};
}

// The number after a colon, 1 without one; it stops at −1 if it is malformed.
ROSENBLATT_INLINE Decimal parse_optional_number(Text text, i64 colon) {
  if (text[colon] != ':') return {colon, 1.0, true};
  const Decimal number = parse_decimal(text, colon + 1);
  if (number.stop == colon + 1 || !ends_token(text, number.stop)) return {-1, 0.0, false};
  return number;
}

// The end of the tag at i, or i if there is none.
ROSENBLATT_INLINE i64 skip_tag(Text text, i64 i) {
  i64 stop = i;
  while (!ends_token(text, stop)) ++stop;
  return text[i] == '\'' || text[stop] == '|' ? stop : i;
}

// A namespace: the end of its name, its scale, and the hash that its features continue.
struct Namespace {
  i64 stop;
  Decimal scale;
  Murmur hash;
};

// A feature: its end, hash and value, and whether the value is exact.
struct Feature {
  i64 stop;
  i32 hash;
  double value;
  bool exact;
};

// The number at `begin`, `otherwise` at a tag or a bar; it stops at −1 if malformed.
Decimal parse_head_number(Text text, i64 begin, double otherwise) {
  if (text[begin] == '|' || skip_tag(text, begin) > begin) return {begin, otherwise, true};
  const Decimal number = parse_decimal(text, begin);
  const Byte next = text[number.stop];
  if (number.stop == begin || (next != BLANK && next != TAB)) return {-1, 0.0, false};
  return number;
}

// `[name[:scale]]` at `begin`; the scale stops at −1 if it is malformed.
Namespace parse_namespace(Text text, i64 begin) {
  const Name name = hash_name(text, begin, {});
  Namespace space{name.stop, parse_optional_number(text, name.stop), name.hash};
  if (name.stop > begin)
    space.hash = absorb(name.hash, '^', 1);
  else if (space.scale.stop > name.stop)
    space.scale = {-1, 0.0, false};
  return space;
}

// `name[:value]` at `begin`; it stops at −1 if malformed or if it fits no float64.
ROSENBLATT_INLINE Feature parse_feature(Text text, i64 begin, const Namespace& space) {
  const Name name = hash_name(text, begin, space.hash);
  const Decimal number = parse_optional_number(text, name.stop);
  const double value = number.value * space.scale.value;
  if (name.stop == begin || (std::isinf(value) && number.exact && space.scale.exact))
    return {-1, 0, 0.0, false};
  return {number.stop, finalized(name.hash), value, number.exact};
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
      const Decimal label = parse_head_number(text, i, std::numeric_limits<double>::quiet_NaN());
      if (label.stop < 0 || (options.labelled && std::isnan(label.value))) return finish(i);
      defer(i, label.stop, label.exact);
      i = skip_blanks(text, label.stop);
      const Decimal weight = parse_head_number(text, i, 1.0);
      if (weight.stop < 0 || weight.value < 0.0) return finish(i);
      defer(i, weight.stop, weight.exact);
      i = skip_blanks(text, weight.stop);
      const i64 tag = skip_tag(text, i);
      if (options.tagged) {
        out.tags[2 * rows] = i + (text[i] == '\'');
        out.tags[2 * rows + 1] = tag;
      }
      i = skip_blanks(text, tag);
      if (text[i] != '|') return finish(i);
      out.labels[rows] = label.value;
      out.weights[rows] = weight.value;
      ++rows;
      while (text[i] == '|') {
        const i64 start = i + 1;
        const Namespace space = parse_namespace(text, start);
        if (space.scale.stop < 0) return finish(start);
        defer(start, space.scale.stop, space.scale.exact);
        const i16 group = options.groups ? find_group(text, start, space.stop, *options.groups) : i16(-1);
        i = skip_blanks(text, space.scale.stop);
        while (!(text[i] == '|' || ends_line(text, i))) {
          const i64 begin = i;
          const Feature feature = parse_feature(text, begin, space);
          if (feature.stop < 0) return finish(begin);
          defer(begin, feature.stop, feature.exact);
          hashes[entries] = feature.hash;
          data[entries] = feature.value;
          if (options.groups) out.groups[entries] = group;
          if (options.named) out.name_starts[entries] = begin;
          entries += feature.value != 0.0;
          i = skip_blanks(text, feature.stop);
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

void write_names(Text text, const i64* name_starts, i64 n, i64 most, std::vector<Byte>& letters, i64* ends) {
  const auto append = [&](i64 begin, i64 stop, std::size_t limit) {
    for (i64 i = begin; i < stop && letters.size() < limit; ++i) letters.push_back(text[i]);
  };
  i64 last = 0, space = 0;
  for (i64 k = 0; k < n; ++k) {
    const i64 begin = name_starts[k];
    i64 bar_end = begin;
    while (bar_end > last && text[bar_end - 1] != '|') --bar_end;
    if (bar_end > last) space = bar_end;  // else no bar since the last name: the same namespace
    last = begin;
    const std::size_t limit = letters.size() + std::size_t(most);
    const i64 stop = hash_name(text, space, {}).stop;
    if (stop > space) {
      append(space, stop, limit);
      if (letters.size() < limit) letters.push_back('^');
    }
    append(begin, hash_name(text, begin, {}).stop, limit);
    ends[k] = i64(letters.size());
  }
}

}  // namespace rosenblatt::text
