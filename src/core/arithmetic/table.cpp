// The table of the set that this file is compiled for.

#include "arithmetic/table.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

const Arithmetic INSTRUCTION_SET::arithmetic = {TEXT(INSTRUCTION_SET)};
