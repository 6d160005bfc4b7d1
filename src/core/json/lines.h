// Rows of a file of JSON lines: features by name, nested objects with dots, and a label.

#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "json/seen.h"
#include "json/tokens.h"
#include "names/block.h"
#include "names/strings.h"

namespace rosenblatt::json {

// Reads lines that are valid beyond doubt, as RowParser of streams/formats/json_rows.py does without
// a schema.
class LineParser {
 public:
  // `target`: the key of the label in the outermost object; `labelled`: whether each row has one.
  LineParser(std::optional<std::string> target, bool labelled)
      : target_(std::move(target)), labelled_(labelled) {}

  // The rows of whole lines, with labels as Python's values; None if a line is not read.
  nanobind::object parse(nanobind::bytes text);

 private:
  bool parse_row(Text text, i64& i);
  i64 read_object(Text text, i64 i, int depth);
  i64 read_list(Text text, i64 i, int depth);
  i64 read_value(Text text, i64 i, int depth);
  i64 read_target(Text text, i64 i);
  bool add(std::string_view name, double value);

  const std::optional<std::string> target_;
  const bool labelled_;

  bool busy_ = false;
  names::Block block_;

  // Of the row that is read.
  nanobind::object label_;
  std::string path_, key_, word_;
  std::uint64_t objects_ = 0;  // begun, so that keys of two objects differ
  Seen keys_, names_;

  names::Strings strings_;
};

}  // namespace rosenblatt::json
