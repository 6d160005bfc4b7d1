// NumPy arrays at the boundary: their numbers, with type, order and lengths checked.
//
// A Buffer holds Python's buffer of an array, and must be destroyed while the GIL is held. As a
// parameter of a function that Python sees, it takes arrays of its type and axes alone, in C order;
// none is converted, since the function would write to the copy.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace arrays {

namespace nb = nanobind;
using i64 = std::int64_t;

template <class T>
constexpr char kind_of() {
  using Number = std::remove_const_t<T>;
  if (std::is_same_v<Number, bool>) return 'b';
  if (std::is_floating_point_v<Number>) return 'f';
  return std::is_signed_v<Number> ? 'i' : 'u';
}

// What a format of the module struct stands for, in native byte order; 0: something else.
inline char kind_of_format(const char* format) {
  if (!format || !format[0] || format[1]) return 0;
  if (format[0] == '?') return 'b';
  if (std::strchr("fd", format[0])) return 'f';
  if (std::strchr("bhilqn", format[0])) return 'i';
  return std::strchr("BHILQN", format[0]) ? 'u' : 0;
}

[[noreturn]] inline void refuse(const char* name, const std::string& wanted) {
  throw std::invalid_argument(std::string(name) + " must be " + wanted + ".");
}

// Any number of axes.
constexpr int ANY_AXES = -1;

// An array in C order; its type is known when it is read.
class AnyBuffer {
 public:
  AnyBuffer(nb::handle array, const char* name, int axes, bool written) : name_(name) {
    const int flags = PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (written ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(array.ptr(), &view_, flags)) {
      PyErr_Clear();
      refuse(name, written ? "an array in C order that may be written" : "an array in C order");
    }
    if (axes != ANY_AXES && view_.ndim != axes) {
      PyBuffer_Release(&view_);
      refuse(name, axes == 1 ? "one-dimensional" : "two-dimensional");
    }
  }
  AnyBuffer(const AnyBuffer&) = delete;
  ~AnyBuffer() { PyBuffer_Release(&view_); }

  int dimensions() const { return view_.ndim; }
  i64 count() const {  // of the numbers of all axes
    i64 product = 1;
    for (int axis = 0; axis < view_.ndim; ++axis) product *= view_.shape[axis];
    return product;
  }
  i64 size() const { return view_.shape[0]; }     // of the first axis
  i64 columns() const { return view_.shape[1]; }  // of the second
  template <class T>
  bool holds() const {
    return kind_of_format(view_.format) == kind_of<T>() && view_.itemsize == sizeof(T);
  }
  template <class T>
  T* numbers() const {
    if (!holds<T>()) refuse(name_, "an array of another type");
    return static_cast<T*>(view_.buf);
  }
  // The numbers of all axes, of which there are `wanted`; null where that is none.
  template <class T>
  T* numbers(i64 wanted) const {
    T* data = numbers<T>();
    if (count() != wanted) refuse(name_, "an array of " + std::to_string(wanted) + " numbers");
    return wanted ? data : nullptr;
  }
  void check_size(i64 wanted) const {
    if (size() != wanted) refuse(name_, "of length " + std::to_string(wanted));
  }
  void check_columns(i64 wanted) const {
    if (columns() != wanted) refuse(name_, "of " + std::to_string(wanted) + " columns");
  }

 private:
  Py_buffer view_;
  const char* name_;
};

// An array of numbers of one type, which is written unless T is const.
template <class T, int axes = 1>
class Buffer : public AnyBuffer {
 public:
  Buffer(nb::handle array, const char* name)
      : AnyBuffer(array, name, axes, !std::is_const_v<T>), data_(AnyBuffer::numbers<T>()) {}
  Buffer(nb::handle array, const char* name, i64 wanted) : Buffer(array, name) { check_size(wanted); }
  Buffer(nb::handle array, const char* name, i64 wanted, i64 columns) : Buffer(array, name, wanted) {
    check_columns(columns);
  }
  T* data() const { return data_; }
  T& operator[](i64 i) const { return data_[i]; }

 private:
  T* data_;
};

template <class T>
using Table = Buffer<T, 2>;

// Refuse numbers outside of `least` … bound − 1.
template <class T>
void check_indices(const Buffer<T>& numbers, const char* name, i64 bound, i64 least = 0) {
  for (i64 i = 0; i < numbers.size(); ++i)
    if (i64(numbers[i]) < least || i64(numbers[i]) >= bound)
      refuse(name, "below " + std::to_string(bound) + ", and not below " + std::to_string(least));
}

}  // namespace arrays

template <class T, int axes>
struct nanobind::detail::type_caster<arrays::Buffer<T, axes>> {
  using Value = arrays::Buffer<T, axes>;
  static constexpr auto Name = const_name("numpy.ndarray");
  template <class>
  using Cast = Value&;
  template <class>
  static constexpr bool can_cast() {
    return true;
  }
  bool from_python(handle array, std::uint32_t, cleanup_list*) noexcept {
    try {
      value.emplace(array, "");
      return true;
    } catch (const std::invalid_argument&) {
      return false;
    }
  }
  explicit operator Value&() { return *value; }

  std::optional<Value> value;
};
