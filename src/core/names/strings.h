// Strings of Python for names that come again and again, found by their bytes.

#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace names {

// A hash of bytes, eight at a time, each mixed in by a product with an odd number (the fraction of
// the golden ratio).
inline std::uint64_t hash_of(std::string_view bytes) {
  constexpr std::uint64_t FACTOR = 0x9E3779B97F4A7C15;
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t n = bytes.size() < 8 ? bytes.size() : 8;
    std::memcpy(&word, bytes.data(), n);
    hash = (hash ^ word) * FACTOR;
    hash ^= hash >> 32;
    bytes.remove_prefix(n);
  }
  return hash;
}

// The strings that were asked for last. A place has one: another with the same place takes it.
class Strings {
 public:
  Strings() : places_(PLACES) {}

  // The string of UTF-8 bytes, which are valid, and their hash.
  nanobind::object find(std::string_view bytes, std::uint64_t hash) {
    if (bytes.size() > LONGEST) return make(bytes);
    Place& place = places_[hash % PLACES];
    if (place.hash == hash && place.string && bytes_of(place.string) == bytes) return place.string;
    place = {hash, make(bytes)};
    return place.string;
  }

 private:
  static constexpr std::size_t PLACES = 1 << 14;
  static constexpr std::size_t LONGEST = 64;  // bytes: all places together keep two megabytes

  struct Place {
    std::uint64_t hash = 0;
    nanobind::object string;
  };

  static nanobind::object make(std::string_view bytes) {
    PyObject* string = PyUnicode_FromStringAndSize(bytes.data(), Py_ssize_t(bytes.size()));
    if (!string) throw nanobind::python_error();
    return nanobind::steal(string);
  }
  static std::string_view bytes_of(nanobind::handle string) {
    Py_ssize_t size;
    const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
    if (!bytes) throw nanobind::python_error();
    return {bytes, std::size_t(size)};
  }

  std::vector<Place> places_;
};

}  // namespace names
