#include "json/examples.h"

#include <algorithm>
#include <cmath>

namespace rosenblatt::json {
namespace {

namespace nb = nanobind;

std::string_view part(Text text, i64 begin, i64 stop) {
  return {reinterpret_cast<const char*>(text.bytes) + begin, std::size_t(stop - begin)};
}

// The end of a literal at i, or INVALID.
i64 after(Text text, i64 i, std::string_view literal) {
  const i64 end = i + i64(literal.size());
  return end <= text.size && part(text, i, end) == literal ? end : INVALID;
}

// The beginning of the value of a key that ends at i, or INVALID.
i64 after_colon(Text text, i64 i) {
  i = skip_space(text, i);
  return text[i] == ':' ? skip_space(text, i + 1) : INVALID;
}

bool has_equals(std::string_view text) { return text.find('=') != text.npos; }

}  // namespace

nb::list ExampleParser::parse(nb::list lines) {
  nb::list examples;
  for (const nb::handle line : lines) {
    if (!PyBytes_CheckExact(line.ptr())) throw std::invalid_argument("lines must be bytes.");
    const auto* bytes = reinterpret_cast<const Byte*>(PyBytes_AsString(line.ptr()));
    examples.append(parse_line({bytes, i64(PyBytes_Size(line.ptr()))}));
  }
  return examples;
}

nb::object ExampleParser::parse_line(Text text) {
  const std::size_t before = row_size_;
  row_ = {};
  row_.names.reserve(before), row_.values.reserve(before);  // rows are often alike
  packed_.clear();
  weight_ = 1.0;
  entries_ = 0;
  converted_ = equals_ = words_ = false;
  bool features = false, label = false, weight = false;
  i64 i = skip_space(text, 0);
  if (text[i] != '{') return nb::none();
  do {
    i = skip_space(text, i + 1);
    String key;
    if (text[i] != '"' || (i = scan_string(text, i, key)) == INVALID) return nb::none();
    const std::string_view name = part(text, key.begin, key.stop);
    if ((i = after_colon(text, i)) == INVALID) return nb::none();
    bool* first = name == "features" ? &features : name == "label" ? &label
                : name == "weight" ? &weight : nullptr;
    if (!first || *first) return nb::none();
    *first = true;
    i = first == &features ? read_features(text, i)
      : first == &label    ? read_label(text, i) : read_number(text, i, weight_);
    if (i == INVALID) return nb::none();
    i = skip_space(text, i);
  } while (text[i] == ',');
  if (text[i] != '}' || skip_space(text, i + 1) != text.size) return nb::none();
  if (!features || !label || !(weight_ >= 0.0)) return nb::none();
  if (words_ && equals_) return nb::none();  // two names might become one
  return example();
}

nb::object ExampleParser::example() {
  row_size_ = row_.names.size();
  std::string head;
  Packer to_head(head);
  to_head.array(3);
  to_head.map(entries_);
  packed_ += packed_label_;
  Packer(packed_).number(weight_);
  const std::size_t size = head.size() + packed_.size();
  row_.body = nb::steal(PyBytes_FromStringAndSize(nullptr, Py_ssize_t(size)));
  if (!row_.body) throw nb::python_error();
  char* body = PyBytes_AsString(row_.body.ptr());
  std::copy(packed_.begin(), packed_.end(), std::copy(head.begin(), head.end(), body));
  if (converted_)
    for (double& value : row_.values) value += 0.0;  // one_hot sums, so −0 becomes 0
  return nb::make_tuple(nb::cast(std::move(row_)), std::move(label_), nb::float_(weight_));
}

i64 ExampleParser::read_features(Text text, i64 i) {
  if (text[i] != '{') return INVALID;
  ++stamp_;
  i = skip_space(text, i + 1);
  if (text[i] == '}') return i + 1;
  for (;; ++i) {
    i = skip_space(text, i);
    std::string_view key;
    if ((i = read_string(text, i, key_, key)) == INVALID) return INVALID;
    const std::uint64_t hash = names::hash_of(key);
    if (i64(++entries_) > most_features_ || !is_new(hash)) return INVALID;
    Packer(packed_).string(key);
    if ((i = after_colon(text, i)) == INVALID) return INVALID;
    if ((i = read_value(text, i, key, hash)) == INVALID) return INVALID;
    i = skip_space(text, i);
    if (text[i] == '}') return i + 1;
    if (text[i] != ',') return INVALID;
  }
}

i64 ExampleParser::read_value(Text text, i64 i, std::string_view key, std::uint64_t hash) {
  Packer packer(packed_);
  equals_ |= has_equals(key);
  if (text[i] == '"') {
    std::string_view word;
    if ((i = read_string(text, i, word_, word)) == INVALID) return INVALID;
    packer.string(word);
    converted_ = words_ = true;
    equals_ |= has_equals(word);
    const std::string name = std::string(key) + "=" + std::string(word);
    add(name, names::hash_of(name), 1.0);
    return i;
  }
  if (text[i] == 't' || text[i] == 'f') {
    const bool value = text[i] == 't';
    packer.boolean(value);
    add(key, hash, value ? 1.0 : 0.0);
    return after(text, i, value ? "true" : "false");
  }
  if (text[i] == 'n') {
    packer.none();
    converted_ = true;
    return after(text, i, "null");
  }
  double value;
  if ((i = read_number(text, i, value)) == INVALID) return INVALID;
  packer.number(value);
  add(key, hash, value);
  return i;
}

i64 ExampleParser::read_label(Text text, i64 i) {
  packed_label_.clear();
  Packer packer(packed_label_);
  if (text[i] == '"') {
    std::string_view word;
    if ((i = read_string(text, i, word_, word)) == INVALID) return INVALID;
    packer.string(word);
    label_ = strings_.find(word, names::hash_of(word));
    return i;
  }
  if (text[i] == 't' || text[i] == 'f') {
    const bool value = text[i] == 't';
    packer.boolean(value);
    label_ = nb::bool_(value);
    return after(text, i, value ? "true" : "false");
  }
  constexpr double EXACT = 9007199254740992.0;  // 2⁵³: all whole numbers below are float64
  Number number;
  const i64 end = scan_number(text, i, number);
  if (end == INVALID || !number.whole || !(std::fabs(number.value) < EXACT)) return INVALID;
  const i64 whole = i64(number.value);
  packer.whole(whole);
  label_ = nb::int_(whole);
  return end;
}

// A number within the limit, but for −0 as a whole number, which readers take in different ways.
i64 ExampleParser::read_number(Text text, i64 i, double& value) const {
  Number number;
  const i64 end = scan_number(text, i, number);
  if (end == INVALID || !(std::fabs(number.value) <= largest_)) return INVALID;
  if (number.whole && number.value == 0.0 && std::signbit(number.value)) return INVALID;
  value = number.value;
  return end;
}

// The characters of a string of up to the longest number of bytes; `kept` has them if some are
// escaped.
i64 ExampleParser::read_string(Text text, i64 i, std::string& kept, std::string_view& characters) const {
  String string;
  if (text[i] != '"' || (i = scan_string(text, i, string)) == INVALID) return INVALID;
  characters = part(text, string.begin, string.stop);
  if (string.escaped) {
    if (!unescape(text, string, kept)) return INVALID;
    characters = kept;
  } else if (!string.ascii && !is_utf8(text.bytes + string.begin, string.stop - string.begin)) {
    return INVALID;
  }
  return i64(characters.size()) <= longest_word_ ? i : INVALID;
}

// Whether no name of the row has had this hash: false for one that comes twice. A table of hashes
// that someone has chosen to collide is given up, too.
bool ExampleParser::is_new(std::uint64_t hash) {
  constexpr int PROBES = 64;
  if (2 * entries_ > seen_.size()) {
    std::vector<Key> before(4 * seen_.size());
    before.swap(seen_);
    for (const Key& key : before)
      if (key.stamp == stamp_ && !is_new(key.hash)) return false;
  }
  std::size_t place = std::size_t(hash >> 7);
  for (int probe = 0; probe < PROBES; ++probe, ++place) {
    Key& key = seen_[place & (seen_.size() - 1)];
    if (key.stamp != stamp_) {
      key = {hash, stamp_};
      return true;
    }
    if (key.hash == hash) return false;
  }
  return false;
}

void ExampleParser::add(std::string_view name, std::uint64_t hash, double value) {
  row_.names.push_back(strings_.find(name, hash));
  row_.values.push_back(value);
}

}  // namespace rosenblatt::json
