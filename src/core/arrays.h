// NumPy arrays at the boundary: pointers to their numbers, with every type and length checked.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace arrays {

namespace nb = nanobind;

using Any = nb::ndarray<nb::c_contig, nb::device::cpu>;
using ReadOnly = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

[[noreturn]] inline void refuse(const char* name, const std::string& wanted) {
  throw std::invalid_argument(std::string(name) + " must be " + wanted + ".");
}

// A C-ordered array that may be written, or only read.
template <class Array>
Array cast(nb::handle object, const char* name) {
  Array array;
  if (!nb::try_cast(object, array, false)) refuse(name, "an array in C order");
  return array;
}

// The numbers of an array of `size` elements of type T; null where it has none.
template <class T, class Array>
auto numbers(const Array& array, const char* name, std::int64_t size) {
  if (array.dtype() != nb::dtype<T>()) refuse(name, "an array of another type");
  if (std::int64_t(array.size()) != size)
    refuse(name, "an array of " + std::to_string(size) + " numbers");
  using Pointer = decltype(array.data());
  using Number = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const T, T>;
  return size ? (Number*)array.data() : nullptr;
}

}  // namespace arrays
