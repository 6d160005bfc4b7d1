#include "json/examples.h"

#include <algorithm>
#include <cmath>

#include "busy.h"

namespace rosenblatt::json {
namespace {

namespace nb = nanobind;

bool has_equals(std::string_view text) { return text.find('=') != text.npos; }

}  // namespace

nb::tuple ExampleParser::parse(nb::list lines) {
  const Busy held(busy_, "The parser is at work: what the collector deletes must not use it.");
  block_ = {};
  nb::list left;
  std::size_t place = 0, size = 0;
  for (const nb::handle line : lines) {
    if (!PyBytes_CheckExact(line.ptr())) throw std::invalid_argument("lines must be bytes.");
    size += std::size_t(PyBytes_Size(line.ptr()));
  }
  block_.bodies.reserve(size);  // MessagePack is rarely longer
  for (const nb::handle line : lines) {
    const auto* bytes = reinterpret_cast<const Byte*>(PyBytes_AsString(line.ptr()));
    if (!parse_line({bytes, i64(PyBytes_Size(line.ptr()))})) {
      drop_rest();
      left.append(place);
    }
    ++place;
  }
  return nb::make_tuple(nb::cast(std::move(block_)), left);
}

// Forget what was read of a line that is left.
void ExampleParser::drop_rest() {
  const std::size_t size = std::size_t(block_.starts.back());
  block_.names.resize(size);
  block_.values.resize(size);
}

bool ExampleParser::parse_line(Text text) {
  packed_.clear();
  weight_ = 1.0;
  entries_ = 0;
  converted_ = equals_ = words_ = false;
  bool features = false, label = false, weight = false;
  i64 i = skip_space(text, 0);
  if (text[i] != '{') return false;
  do {
    i = skip_space(text, i + 1);
    String key;
    if (text[i] != '"' || (i = scan_string(text, i, key)) == INVALID) return false;
    const std::string_view name = part(text, key.begin, key.stop);
    if ((i = after_colon(text, i)) == INVALID) return false;
    bool* first = name == "features" ? &features
                  : name == "label"  ? &label
                  : name == "weight" ? &weight
                                     : nullptr;
    if (!first || *first) return false;
    *first = true;
    i = first == &features ? read_features(text, i)
        : first == &label  ? read_label(text, i)
                           : read_number(text, i, weight_);
    if (i == INVALID) return false;
    i = skip_space(text, i);
  } while (text[i] == ',');
  if (text[i] != '}' || skip_space(text, i + 1) != text.size) return false;
  if (!features || !label || !(weight_ >= 0.0)) return false;
  if (words_ && equals_) return false;  // two names might become one
  add_example();
  return true;
}

void ExampleParser::add_example() {
  Packer body(block_.bodies);
  body.array(3);
  body.map(entries_);
  block_.bodies += packed_;
  block_.bodies += packed_label_;
  body.number(weight_);
  const std::size_t size = block_.values.size();
  if (converted_)  // one_hot sums, so −0 becomes 0
    for (std::size_t k = std::size_t(block_.starts.back()); k < size; ++k) block_.values[k] += 0.0;
  block_.starts.push_back(i64(size));
  block_.ends.push_back(i64(block_.bodies.size()));
  block_.labels.append(label_);
  block_.weights.push_back(weight_);
}

i64 ExampleParser::read_features(Text text, i64 i) {
  if (text[i] != '{') return INVALID;
  seen_.clear();
  i = skip_space(text, i + 1);
  if (text[i] == '}') return i + 1;
  for (;; ++i) {
    i = skip_space(text, i);
    std::string_view key;
    if ((i = read_word(text, i, key_, key)) == INVALID) return INVALID;
    const std::uint64_t hash = names::hash_of(key);
    if (i64(++entries_) > most_features_ || !seen_.add(hash)) return INVALID;
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
    if ((i = read_word(text, i, word_, word)) == INVALID) return INVALID;
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
    if ((i = read_word(text, i, word_, word)) == INVALID) return INVALID;
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

// A string of up to the longest number of bytes.
i64 ExampleParser::read_word(Text text, i64 i, std::string& kept, std::string_view& characters) const {
  i = read_string(text, i, kept, characters);
  return i != INVALID && i64(characters.size()) <= longest_word_ ? i : INVALID;
}

void ExampleParser::add(std::string_view name, std::uint64_t hash, double value) {
  block_.names.push_back(strings_.find(name, hash));
  block_.values.push_back(value);
}

}  // namespace rosenblatt::json
