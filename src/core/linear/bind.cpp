// rosenblatt._core.linear: the functions that Python sees.

#include "bindings.h"

void bind_linear(nanobind::module_&) {}
