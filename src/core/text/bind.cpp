// rosenblatt._core.text: the functions that Python sees.

#include "bindings.h"
#include "text/results.h"

void bind_text(nanobind::module_& module) {
  rosenblatt::text::bind_formats(module);
  rosenblatt::text::bind_hashing(module);
}
