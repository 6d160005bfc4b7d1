// The scans of text files: they report where they stopped, and leave the reason to Python.
//
// A scan allocates what it returns for the most rows and entries that the text can have. Numbers
// that their first 19 digits do not decide are deferred: spans of the text, which Python's float
// reads.

#pragma once

#include <algorithm>

#include "text/column.h"
#include "text/decimals.h"
#include "text/text.h"

namespace rosenblatt::text {

// --- svmlight ------------------------------------------------------------------------------------

struct SvmlightOptions {
  bool labelled;
  i64 largest;   // index
  bool written;  // whether to look for numbers that their float does not tell
};

struct SvmlightRows {
  explicit SvmlightRows(Counts counts)
      : counts(counts),
        labels(counts.lines),
        data(counts.marks),
        indices(counts.marks),
        indptr(counts.lines + 1),
        starts(counts.lines) {}

  Counts counts;
  Column<double> labels, data;
  Column<i32> indices;
  Column<i64> indptr, starts;
  i64 rows = 0, entries = 0;
  Spans deferred, long_numbers;  // row: the index in data, or −1 − the index in labels
  bool increasing = true;        // whether the indices of every row strictly increase
  i64 error = -1;  // the start of the token where the scan stopped; a row counts up to there
};

SvmlightRows scan_svmlight(Text text, SvmlightOptions options);

// --- tables of fields ----------------------------------------------------------------------------

struct Layout {
  std::vector<i64> numbers, words;  // index of each field among them, negative for none
  i64 n_numbers, n_words;
  Byte separator;
  int quote;     // the byte that encloses fields; −1 for none
  Text missing;  // spellings of a missing number, each with a newline after it
  bool written;
};

struct Table {
  Table(Text text, Counts counts, const Layout& layout)
      : counts(counts),
        capacity(std::min(counts.lines, text.size / i64(layout.numbers.size()) + 1)),
        numbers(capacity * layout.n_numbers),
        begins(capacity * layout.n_words),
        stops(capacity * layout.n_words),
        starts(capacity) {}

  Counts counts;
  i64 capacity;            // most rows: a line may be blank, and a field takes a byte with its separator
  Column<double> numbers;  // row after row
  Column<i64> begins, stops;  // word after word, `capacity` of them each
  Column<i64> starts;
  i64 rows = 0;
  Spans deferred, doubled, long_numbers;
  i64 error = -1;  // the start of the field where the scan stopped
};

Table scan_delimited(Text text, const Layout& layout);

// A field: its content, the position after it (−1: wrong quotes), and whether quotes double.
struct Cell {
  i64 begin, stop, end;
  bool doubled;
};

Cell parse_cell_at(Text text, i64 begin, Byte separator, int quote);

// --- Vowpal Wabbit -------------------------------------------------------------------------------

// Groups of features by name: the names one after another, and the end of each.
struct Groups {
  Text names;
  std::vector<i64> ends;
};

struct WabbitOptions {
  bool labelled, tagged, named;
  const Groups* groups;  // null: no entry has one
};

struct WabbitRows {
  WabbitRows(Counts counts, WabbitOptions options)
      : counts(counts),
        labels(counts.lines),
        weights(counts.lines),
        data(counts.marks),
        hashes(counts.marks),
        indptr(counts.lines + 1),
        groups(options.groups ? counts.marks : 0),
        name_starts(options.named ? counts.marks : 0),
        tags(options.tagged ? 2 * counts.lines : 0) {}

  Counts counts;
  Column<double> labels, weights, data;
  Column<i32> hashes;
  Column<i64> indptr;
  Column<i16> groups;
  Column<i64> name_starts, tags;
  i64 rows = 0, entries = 0;
  Spans deferred;
  i64 error = -1;
};

WabbitRows scan_vowpal_wabbit(Text text, WabbitOptions options);

// The names at increasing positions, each with its namespace, up to `most` bytes.
void write_names(Text text, const i64* name_starts, i64 n, i64 most, std::vector<Byte>& letters,
                 i64* ends);

}  // namespace rosenblatt::text
