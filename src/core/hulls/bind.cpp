// rosenblatt._core.hulls: the functions that Python sees.

#include "bindings.h"

void bind_hulls(nanobind::module_&) {}
