// rosenblatt._core: one function binds each part, in its own folder.

#include <nanobind/nanobind.h>

#include "bindings.h"

NB_MODULE(_core, module) {
  // Objects that live until the process ends are no leaks, and standard error is a log of JSON.
  nanobind::set_leak_warnings(false);
  bind_cpu(module);
  auto linear = module.def_submodule("linear", "Epochs of linear learners.");
  bind_linear(linear);
  auto matrices = module.def_submodule("matrices", "Structure, order, scaling and scores of rows.");
  bind_matrices(matrices);
  auto hulls = module.def_submodule("hulls", "Points of convex hulls of least norm.");
  bind_hulls(hulls);
  auto kernel = module.def_submodule("kernel", "Expansions in support rows.");
  bind_kernel(kernel);
  auto text = module.def_submodule("text", "Parsers of text files.");
  bind_text(text);
  auto names = module.def_submodule("names", "Rows of named features.");
  bind_names(names);
  auto json = module.def_submodule("json", "Parsers of lines of JSON.");
  bind_json(json);
  auto records = module.def_submodule("records", "The chain of a log.");
  bind_records(records);
}
