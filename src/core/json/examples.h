// Examples of a service, each in a line of JSON: features by name, a label and a weight.

#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/message_pack.h"
#include "json/seen.h"
#include "json/tokens.h"
#include "names/block.h"
#include "names/strings.h"

namespace rosenblatt::json {

// Reads the lines that are valid beyond doubt; all others are left to Python, which says what is
// wrong with them, or takes them.
class ExampleParser {
 public:
  // Limits of what is read here: features of a row, bytes of a name or a word, the largest number.
  ExampleParser(i64 most_features, i64 longest_word, double largest)
      : most_features_(most_features), longest_word_(longest_word), largest_(largest) {}

  // The examples of some bytes objects, and the places of the lines that are left.
  nanobind::tuple parse(nanobind::list lines);

 private:
  bool parse_line(Text text);
  i64 read_features(Text text, i64 i);
  i64 read_value(Text text, i64 i, std::string_view key, std::uint64_t hash);
  i64 read_label(Text text, i64 i);
  i64 read_number(Text text, i64 i, double& value) const;
  i64 read_word(Text text, i64 i, std::string& kept, std::string_view& characters) const;
  void add_example();
  void drop_rest();
  void add(std::string_view name, std::uint64_t hash, double value);

  const i64 most_features_, longest_word_;
  const double largest_;

  bool busy_ = false;
  names::Block block_;

  // Of the line that is read.
  nanobind::object label_;
  std::string packed_, packed_label_, key_, word_;
  std::uint64_t entries_ = 0;
  bool converted_ = false, equals_ = false, words_ = false;
  double weight_ = 1.0;
  Seen seen_;  // its names

  names::Strings strings_;
};

}  // namespace rosenblatt::json
