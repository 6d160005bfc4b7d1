// rosenblatt._core.text: the functions that Python sees.

#include "bindings.h"

void bind_text(nanobind::module_&) {}
