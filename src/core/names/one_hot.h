// Strings, bools and None of a row as numbers: one_hot of learning/online/features.py.

#pragma once

#include <nanobind/nanobind.h>

namespace names {

// The row with numbers alone: a new dict. Null where the row has a name that is no string, or a value
// that is no float, int within their range, bool, string or None: these are left to Python, since
// their methods may change the row.
nanobind::object one_hot(PyObject* row);

}  // namespace names
