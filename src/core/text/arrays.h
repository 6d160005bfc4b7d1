// Arrays of NumPy as the scans take and give them, checked.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "text/column.h"

namespace rosenblatt::text {

namespace nb = nanobind;

template <class T, int dimensions = 1>
using Array = nb::ndarray<T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;

using Bytes = Array<const Byte>;

inline Text text_of(const Bytes& bytes) { return {bytes.data(), i64(bytes.size())}; }

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

// Whether a parameter is an array, which must not be converted: a scan would write to the copy.
template <class T>
constexpr bool is_array = false;
template <class T, class... Options>
constexpr bool is_array<nb::ndarray<T, Options...>> = true;

template <class T>
auto parameter() {
  if constexpr (is_array<std::remove_cv_t<std::remove_reference_t<T>>>)
    return nb::arg().noconvert();
  else
    return nb::arg();
}

template <class Result, class... Parameters>
void bind(nb::module_& module, const char* name, Result (*function)(Parameters...)) {
  module.def(name, function, parameter<Parameters>()...);
}

void bind_formats(nb::module_& module);
void bind_hashing(nb::module_& module);

}  // namespace rosenblatt::text
