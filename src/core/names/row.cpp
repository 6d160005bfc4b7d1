#include "names/row.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace names {
namespace {

constexpr i64 MAX_SLOT = (i64{1} << 31) - 1;  // SciPy's indices have 32 bits

i64 slot_of(PyObject* number) {
  const Py_ssize_t slot = PyLong_AsSsize_t(number);
  if (slot == -1 && PyErr_Occurred()) throw nb::python_error();
  if (slot < 0 || slot > MAX_SLOT) throw std::invalid_argument("A name has no slot of 31 bits.");
  return slot;
}

// The slot of a name in a dict, or −1.
i64 find(PyObject* slots, PyObject* name) {
  PyObject* slot = PyDict_GetItemWithError(slots, name);
  if (slot) return slot_of(slot);
  if (PyErr_Occurred()) throw nb::python_error();
  return -1;
}

}  // namespace

NamedRow::~NamedRow() {
  for (PyObject* name : names_) Py_DECREF(name);
}

bool NamedRow::read(PyObject* dict) {
  const std::size_t n = std::size_t(PyDict_Size(dict));
  if (n > std::size_t(MAX_SLOT)) throw std::invalid_argument("A row has too many names.");
  keys_.resize(n);
  values_.resize(n);
  PyObject *key, *value;
  Py_ssize_t position = 0;
  std::size_t p = 0;
  bool numbers = true;
  std::vector<Other> others;
  while (numbers && p < n && PyDict_Next(dict, &position, &key, &value)) {
    keys_[p] = key;
    if (PyFloat_CheckExact(value)) {
      values_[p] = PyFloat_AsDouble(value);
    } else if (PyLong_CheckExact(value)) {
      values_[p] = PyLong_AsDouble(value);
      if (values_[p] == -1.0 && PyErr_Occurred()) PyErr_Clear(), numbers = false;  // too large
    } else if (value == Py_None || PyUnicode_CheckExact(value)) {
      numbers = false;
    } else {
      others.push_back({p, nb::borrow(value)});
    }
    ++p;
  }
  if (!numbers) return false;
  keep_keys();
  return read(others);
}

void NamedRow::take(const Block& block, i64 i) {
  const i64 start = block.starts[std::size_t(i)], stop = block.starts[std::size_t(i) + 1];
  values_.assign(block.values.begin() + start, block.values.begin() + stop);
  keys_.clear();
  for (i64 k = start; k < stop; ++k) keys_.push_back(block.names[std::size_t(k)].ptr());
  keep_keys();
}

// Take the keys in the place of the names, if they are other objects.
void NamedRow::keep_keys() {
  if (names_ == keys_) return;
  for (PyObject* name : keys_) Py_INCREF(name);
  names_.swap(keys_);
  found_ = arranged_ = false;
  for (PyObject* name : keys_) Py_DECREF(name);  // the names before
  keys_.clear();
}

bool NamedRow::read(const std::vector<Other>& others) {
  for (const Other& other : others) {
    const double number = PyFloat_AsDouble(other.value.ptr());
    if (number == -1.0 && PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_Exception)) throw nb::python_error();  // an interrupt
      PyErr_Clear();
      return false;
    }
    values_[other.position] = number;
  }
  return true;
}

i64 NamedRow::first_infinite() const {
  bool infinite = false;
  for (const double value : values_) infinite |= !std::isfinite(value);
  if (!infinite) return -1;
  return std::find_if_not(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); }) -
         values_.begin();
}

void NamedRow::look_up(PyObject* vocabulary, PyObject* added) {
  const i64 known = PyDict_Size(vocabulary) + (added ? PyDict_Size(added) : 0);
  if (found_ && (missing_ == 0 || known == known_)) return;
  found_ = arranged_ = false;
  missing_ = 0;
  slots_.resize(names_.size());
  for (std::size_t p = 0; p < names_.size(); ++p) {
    i64 slot = find(vocabulary, names_[p]);
    if (slot < 0 && added) slot = find(added, names_[p]);
    slots_[p] = slot;
    missing_ += slot < 0;
  }
  known_ = known;
  found_ = true;
}

void NamedRow::add_missing(PyObject* target, i64 first, i64 limit) {
  if (missing_ == 0) return;
  found_ = false;
  for (std::size_t p = 0; p < names_.size(); ++p) {
    const i64 next = first + PyDict_Size(target);
    if (slots_[p] >= 0 || next >= limit) continue;
    if (next > MAX_SLOT) throw std::invalid_argument("There are too many names.");
    const nb::object slot = nb::steal(PyLong_FromSsize_t(next));
    if (!slot || PyDict_SetItem(target, names_[p], slot.ptr()) < 0) throw nb::python_error();
    slots_[p] = next;
    arranged_ = false;
    --missing_;
  }
  known_ = first + PyDict_Size(target);
  found_ = true;
}

void NamedRow::arrange() {
  if (!arranged_) {
    sort();
    const std::size_t size = sorted_.size();
    if (data_.size() < size) data_.resize(size), indices_.resize(size);
    for (std::size_t p = 0; p < size; ++p) indices_[p] = u32(sorted_[p] >> 32);
    indptr_[1] = i64(size);
    arranged_ = true;
  }
  for (std::size_t p = 0; p < sorted_.size(); ++p) data_[p] = values_[u32(sorted_[p])];
}

// Sort the keys slot · 2³² + position, by a radix sort from the lowest digit of the slot upwards: no
// branch depends on the numbers.
void NamedRow::sort() {
  constexpr int DIGIT = 6, VALUES = 1 << DIGIT;
  sorted_.clear();
  u64 bits = 0, before = 0;
  bool increasing = true;
  for (std::size_t p = 0; p < slots_.size(); ++p) {
    if (slots_[p] < 0) continue;
    const u64 key = u64(slots_[p]) << 32 | p;
    increasing &= before <= key;
    before = key;
    bits |= u64(slots_[p]);
    sorted_.push_back(key);
  }
  if (increasing) return;
  spare_.resize(sorted_.size());
  for (int shift = 32; bits > 0; shift += DIGIT, bits >>= DIGIT) {
    u32 ends[VALUES] = {};
    for (const u64 key : sorted_) ++ends[(key >> shift) % VALUES];
    u32 first = 0;
    for (u32& end : ends) {
      first += end;
      end = first - end;
    }
    for (const u64 key : sorted_) spare_[ends[(key >> shift) % VALUES]++] = key;
    sorted_.swap(spare_);
  }
}

RowsView NamedRow::view(i64 d) const {
  if (!fits(d)) throw std::invalid_argument("The row has names beyond the weights.");
  return {data_.data(), indices_.data(), indptr_, 1, d, size()};
}

}  // namespace names
