#include "json/lines.h"

#include <algorithm>
#include <unordered_map>

#include "busy.h"

namespace rosenblatt::json {
namespace {

namespace nb = nanobind;

constexpr int DEEPEST = 64;  // nested objects and lists: others are left to Python
// Words of a list with one hash: more are no chance, but chosen, and left to Python.
constexpr std::size_t MOST_COLLIDING = 64;

}  // namespace

nb::object LineParser::parse(nb::bytes text) {
  const Busy held(busy_, "The parser is at work: what the collector deletes must not use it.");
  block_ = {};
  const Text lines = {reinterpret_cast<const Byte*>(text.c_str()), i64(text.size())};
  for (i64 i = 0; i < lines.size;)
    if (!parse_row(lines, i)) return nb::none();
  return nb::cast(std::move(block_));
}

// Reads the row of the line at i, and moves i behind the line.
bool LineParser::parse_row(Text text, i64& i) {
  const auto* newline =
      static_cast<const Byte*>(std::memchr(text.bytes + i, '\n', std::size_t(text.size - i)));
  const i64 size = newline ? newline - text.bytes : text.size;
  const Text line = {text.bytes, size};
  label_ = nb::none();
  path_.clear();
  objects_ = 0;
  keys_.clear();
  names_.clear();
  i = skip_space(line, i);
  if (i >= size || line[i] != '{') return false;
  i = read_object(line, i, 0);
  if (i == INVALID || skip_space(line, i) != size || (labelled_ && label_.is_none())) return false;
  i = size + 1;
  block_.starts.push_back(i64(block_.values.size()));
  block_.ends.push_back(0);
  block_.weights.push_back(1.0);
  block_.labels.append(label_);
  return true;
}

// Reads the object at i, whose name is the path.
i64 LineParser::read_object(Text text, i64 i, int depth) {
  if (depth > DEEPEST) return INVALID;
  const std::uint64_t object = ++objects_ * 0x9E3779B97F4A7C15;  // an odd number: no two are equal
  const std::size_t outer = path_.size();
  i = skip_space(text, i + 1);
  if (text[i] == '}') return i + 1;
  for (;; ++i) {
    i = skip_space(text, i);
    std::string_view key;
    if ((i = read_string(text, i, key_, key)) == INVALID) return INVALID;
    if (!keys_.add(names::hash_of(key) ^ object)) return INVALID;
    const bool is_target = depth == 0 && target_ && key == *target_;
    if (outer > 0) path_ += '.';
    path_ += key;
    if ((i = after_colon(text, i)) == INVALID) return INVALID;
    i = is_target ? read_target(text, i) : read_value(text, i, depth);
    if (i == INVALID) return INVALID;
    path_.resize(outer);
    i = skip_space(text, i);
    if (text[i] == '}') return i + 1;
    if (text[i] != ',') return INVALID;
  }
}

i64 LineParser::read_value(Text text, i64 i, int depth) {
  switch (text[i]) {
    case '{':
      return read_object(text, i, depth + 1);
    case '[':
      return read_list(text, i, depth + 1);
    case 'n':
      return after(text, i, "null");
    case 't':
      return add(path_, 1.0) ? after(text, i, "true") : INVALID;
    case 'f':
      return add(path_, 0.0) ? after(text, i, "false") : INVALID;
    case '"': {
      std::string_view word;
      if ((i = read_string(text, i, word_, word)) == INVALID) return INVALID;
      const std::size_t size = path_.size();
      path_ += '=';
      path_ += word;
      const bool added = add(path_, 1.0);
      path_.resize(size);
      return added ? i : INVALID;
    }
    default: {
      Number number;
      if ((i = scan_number(text, i, number)) == INVALID) return INVALID;
      return add(path_, number.whole ? number.value + 0.0 : number.value) ? i : INVALID;  // −0 is 0
    }
  }
}

// Reads the list at i, whose name is the path: its strings are features, counted, in the order of
// their first appearance; the other entries come after them, named by their index.
i64 LineParser::read_list(Text text, i64 i, int depth) {
  if (depth > DEEPEST) return INVALID;
  const std::size_t outer = path_.size();
  const auto first = std::ptrdiff_t(block_.values.size());
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::pair<std::string, double>> words;
  i = skip_space(text, i + 1);
  if (text[i] == ']') return i + 1;
  for (std::size_t k = 0;; ++k, ++i) {
    i = skip_space(text, i);
    if (text[i] == '"') {
      std::string_view word;
      if ((i = read_string(text, i, word_, word)) == INVALID) return INVALID;
      const auto [place, is_new] = places.emplace(word, words.size());
      if (is_new) {
        if (words.size() > MOST_COLLIDING &&
            places.bucket_size(places.bucket(place->first)) > MOST_COLLIDING)
          return INVALID;
        words.emplace_back(word, 0.0);
      }
      words[place->second].second += 1.0;
    } else {
      path_ += '.';
      path_ += std::to_string(k);
      if ((i = read_value(text, i, depth)) == INVALID) return INVALID;
      path_.resize(outer);
    }
    i = skip_space(text, i);
    if (text[i] == ']') break;
    if (text[i] != ',') return INVALID;
  }
  const auto others = std::ptrdiff_t(block_.values.size());
  for (const auto& [word, count] : words) {
    path_ += '=';
    path_ += word;
    if (!add(path_, count)) return INVALID;
    path_.resize(outer);
  }
  std::rotate(block_.names.begin() + first, block_.names.begin() + others, block_.names.end());
  std::rotate(block_.values.begin() + first, block_.values.begin() + others, block_.values.end());
  return i + 1;
}

// Reads the label, which is a string without NUL, a number, true or false.
i64 LineParser::read_target(Text text, i64 i) {
  if (text[i] == '"') {
    std::string_view word;
    if ((i = read_string(text, i, word_, word)) == INVALID) return INVALID;
    if (word.find('\0') != word.npos) return INVALID;
    label_ = strings_.find(word, names::hash_of(word));
    return i;
  }
  if (text[i] == 't' || text[i] == 'f') {
    label_ = nb::bool_(text[i] == 't');
    return after(text, i, text[i] == 't' ? "true" : "false");
  }
  constexpr double EXACT = 9007199254740992.0;  // 2⁵³: all whole numbers below are float64
  Number number;
  const i64 end = scan_number(text, i, number);
  if (end == INVALID) return INVALID;
  if (!number.whole) {
    label_ = nb::float_(number.value);
  } else {
    if (!(-EXACT < number.value && number.value < EXACT)) return INVALID;
    label_ = nb::int_(i64(number.value));
  }
  return end;
}

bool LineParser::add(std::string_view name, double value) {
  const std::uint64_t hash = names::hash_of(name);
  if (!names_.add(hash)) return false;
  block_.names.push_back(strings_.find(name, hash));
  block_.values.push_back(value);
  return true;
}

}  // namespace rosenblatt::json
