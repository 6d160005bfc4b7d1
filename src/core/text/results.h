// What the scans take, and the arrays that they give.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "boundary/arrays.h"
#include "text/column.h"

namespace rosenblatt::text {

namespace nb = nanobind;

using arrays::Buffer;

using Bytes = Buffer<const Byte>;

inline Text text_of(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

inline void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(message);
}

// The text of a scan, which must end with a newline.
inline Text scanned(const Bytes& bytes) {
  const Text text = text_of(bytes);
  require(text.size == 0 || text[text.size - 1] == NEWLINE, "the text must end with a newline");
  return text;
}

// The array as NumPy's, of `rows` rows, and `columns` columns unless they are negative.
template <class T>
nb::object as_array(Column<T>& column, i64 rows, i64 columns = -1) {
  T* data = column.release();
  nb::capsule owner(data, [](void* memory) noexcept { std::free(memory); });
  const std::size_t shape[2] = {std::size_t(rows), std::size_t(columns < 0 ? 0 : columns)};
  return nb::cast(nb::ndarray<nb::numpy, T>(data, columns < 0 ? 1 : 2, shape, owner));
}

template <class T>
Column<T> copied(const std::vector<T>& items) {
  Column<T> column(i64(items.size()));
  if (!items.empty()) std::memcpy(column.data(), items.data(), items.size() * sizeof(T));
  return column;
}

template <class T>
nb::object as_array(const std::vector<T>& items) {
  Column<T> column = copied(items);
  return as_array(column, i64(items.size()));
}

// An array of rows: row, column, begin, stop.
nb::object as_array(const Spans& spans);

// Calls a function without the interpreter's lock.
template <class F>
auto unlocked(F function) {
  nb::gil_scoped_release release;
  return function();
}

void bind_formats(nb::module_& module);
void bind_hashing(nb::module_& module);

}  // namespace rosenblatt::text
