// rosenblatt._core.text: the functions that Python sees.

#include "text/arrays.h"
#include "bindings.h"

void bind_text(nanobind::module_& module) {
  rosenblatt::text::bind_formats(module);
  rosenblatt::text::bind_hashing(module);
}
