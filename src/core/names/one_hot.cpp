#include "names/one_hot.h"

namespace names {
namespace {

namespace nb = nanobind;

// The number of a value; false if it has another type.
bool number_of(PyObject* value, double& number) {
  if (PyFloat_CheckExact(value)) {
    number = PyFloat_AsDouble(value);
  } else if (value == Py_True || value == Py_False) {
    number = value == Py_True ? 1.0 : 0.0;
  } else if (PyUnicode_CheckExact(value)) {
    number = 1.0;
  } else if (PyLong_CheckExact(value)) {
    number = PyLong_AsDouble(value);
    if (number != -1.0 || !PyErr_Occurred()) return true;
    PyErr_Clear();  // too large
    return false;
  } else {
    return false;
  }
  return true;
}

}  // namespace

nb::object one_hot(PyObject* row) {
  nb::object numbers = nb::steal(PyDict_New());
  if (!numbers) throw nb::python_error();
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(row, &position, &key, &value)) {
    if (!PyUnicode_CheckExact(key)) return {};
    if (value == Py_None) continue;
    double number;
    if (!number_of(value, number)) return {};
    const bool text = PyUnicode_CheckExact(value);
    const nb::object name =
        text ? nb::steal(PyUnicode_FromFormat("%U=%U", key, value)) : nb::borrow(key);
    if (!name) throw nb::python_error();
    PyObject* before = PyDict_GetItemWithError(numbers.ptr(), name.ptr());
    const double sum = (before ? PyFloat_AsDouble(before) : 0.0) + number;
    const nb::object total = nb::steal(PyFloat_FromDouble(sum));
    if (!total || PyDict_SetItem(numbers.ptr(), name.ptr(), total.ptr()) < 0) throw nb::python_error();
  }
  return numbers;
}

}  // namespace names
