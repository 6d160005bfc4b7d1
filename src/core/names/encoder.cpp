#include "names/encoder.h"

#include <nanobind/ndarray.h>

#include <cmath>
#include <limits>
#include <string>

#include "busy.h"
#include "names/one_hot.h"

namespace names {
namespace {

// Values and names of Python's own classes may run any code: what they call must not encode another
// row in the same arrays.
constexpr char BUSY[] = "A row is encoded: its values and names must not use the model.";

// What is wrong with a number: its row in a list, if any, its name and its value.
struct Fault {
  i64 row;
  nb::object name;
  double value;
};

[[noreturn]] void refuse(const Fault& fault) {
  const char* value = std::isnan(fault.value) ? "nan" : fault.value > 0.0 ? "inf" : "-inf";
  const std::string row = fault.row < 0 ? "" : "row " + std::to_string(fault.row) + ": ";
  PyErr_Format(PyExc_ValueError, "%sfeature %R is %s: use finite numbers, and None for a missing value.",
               row.c_str(), fault.name.ptr(), value);
  throw nb::python_error();
}

// The numbers as an array of NumPy, which owns them.
template <class T>
nb::object as_array(std::vector<T> numbers) {
  auto* kept = new std::vector<T>(std::move(numbers));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const std::size_t shape[1] = {kept->size()};
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), 1, shape, owner));
}

// Encoded rows, one below the other: the arrays of a CSR matrix.
struct Matrix {
  std::vector<double> data;
  std::vector<std::int32_t> indices;
  std::vector<i64> ends = {0};

  Matrix(std::size_t rows, std::size_t values) {
    data.reserve(values), indices.reserve(values), ends.reserve(rows + 1);
  }
  void add(const NamedRow& row) {
    data.insert(data.end(), row.data(), row.data() + row.size());
    indices.insert(indices.end(), row.indices(), row.indices() + row.size());
    ends.push_back(i64(data.size()));
  }
  nb::tuple arrays() {
    return nb::make_tuple(as_array(std::move(data)), as_array(std::move(indices)),
                          as_array(std::move(ends)));
  }
};

}  // namespace

Encoder::Encoder(nb::dict vocabulary, std::optional<i64> limit, nb::callable as_numbers, i64 ignored)
    : vocabulary_(vocabulary),
      limit_(limit.value_or(std::numeric_limits<i64>::max())),
      as_numbers_(as_numbers),
      ignored_(ignored) {}

void Encoder::read(NamedRow& row, nb::handle features, i64 i) const {
  if (row.read(features.ptr())) return;
  nb::object numbers = one_hot(features.ptr());
  if (!numbers) numbers = as_numbers_(features, i < 0 ? nb::none() : nb::object(nb::int_(i)));
  if (!PyDict_Check(numbers.ptr()) || !row.read(numbers.ptr()))
    throw std::invalid_argument("as_numbers must return a dict of numbers.");
}

void Encoder::encode(nb::dict features, bool add_names) {
  const Busy held(busy_, BUSY);
  read(row_, features, -1);
  if (const i64 p = row_.first_infinite(); p >= 0) refuse({-1, nb::borrow(row_.name(p)), row_.value(p)});
  find_slots(add_names);
}

void Encoder::encode_row(const Block& block, i64 i, bool add_names) {
  block.check_part(i, 1);
  const Busy held(busy_, BUSY);
  row_.take(block, i);
  find_slots(add_names);
}

void Encoder::find_slots(bool add_names) {
  row_.look_up(vocabulary_.ptr(), nullptr);
  if (add_names) {
    row_.add_missing(vocabulary_.ptr(), 0, limit_);
    ignored_ += row_.missing();
  }
  row_.arrange();
}

nb::tuple Encoder::arrays() const {
  Matrix matrix(1, row_.size());
  matrix.add(row_);
  return matrix.arrays();
}

nb::tuple Encoder::encode_many(nb::list rows, bool add_names) {
  const Busy held(busy_, BUSY);
  NamedRow row;
  nb::dict added;
  std::size_t values = 0;
  for (const nb::handle features : rows)
    if (PyDict_Check(features.ptr())) values += std::size_t(PyDict_Size(features.ptr()));
  Matrix matrix(rows.size(), values);
  i64 ignored = 0;
  Fault fault = {-1, nb::none(), 0.0};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const nb::object features = rows[i];
    if (!PyDict_Check(features.ptr())) throw std::invalid_argument("rows must be dicts.");
    read(row, features, i64(i));
    if (const i64 p = row.first_infinite(); p >= 0 && fault.row < 0)
      fault = {i64(i), nb::borrow(row.name(p)), row.value(p)};
    row.look_up(vocabulary_.ptr(), added.ptr());
    if (add_names) {
      row.add_missing(added.ptr(), PyDict_Size(vocabulary_.ptr()), limit_);
      ignored += row.missing();
    }
    row.arrange();
    matrix.add(row);
  }
  if (fault.row >= 0) refuse(fault);
  if (PyDict_Update(vocabulary_.ptr(), added.ptr()) < 0) throw nb::python_error();
  ignored_ += ignored;
  return matrix.arrays();
}

nb::tuple Encoder::encode_block(const Block& block) {
  const Busy held(busy_, BUSY);
  NamedRow row;
  nb::dict added;
  Matrix matrix(block.rows(), block.values.size());
  i64 ignored = 0;
  for (i64 i = 0; i < block.rows(); ++i) {
    row.take(block, i);
    row.look_up(vocabulary_.ptr(), added.ptr());
    row.add_missing(added.ptr(), PyDict_Size(vocabulary_.ptr()), limit_);
    ignored += row.missing();
    row.arrange();
    matrix.add(row);
  }
  if (PyDict_Update(vocabulary_.ptr(), added.ptr()) < 0) throw nb::python_error();
  ignored_ += ignored;
  return matrix.arrays();
}

}  // namespace names
