// What module.cpp binds; each function is defined in the folder of its name.

#pragma once

#include <nanobind/nanobind.h>

void bind_cpu(nanobind::module_& module);
void bind_linear(nanobind::module_& module);
void bind_matrices(nanobind::module_& module);
void bind_hulls(nanobind::module_& module);
void bind_kernel(nanobind::module_& module);
void bind_text(nanobind::module_& module);
void bind_names(nanobind::module_& module);
void bind_json(nanobind::module_& module);
void bind_records(nanobind::module_& module);
