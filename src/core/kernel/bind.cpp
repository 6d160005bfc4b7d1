// rosenblatt._core.kernel: the functions that Python sees.

#include "bindings.h"

void bind_kernel(nanobind::module_&) {}
