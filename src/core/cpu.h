// The instruction set whose arithmetic is used: chosen once, when the module is loaded.

#pragma once

struct Arithmetic;  // arithmetic/table.h

const Arithmetic& arithmetic();
