// The table of the set that this file is compiled for.

#include "arithmetic/table.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

namespace INSTRUCTION_SET {

std::int64_t learn(const Problem& problem, bool single);
void scan(const Problem& problem, bool single, std::int64_t* chosen);
const Rule* rule_of_name(const char* name);

const Arithmetic arithmetic = {TEXT(INSTRUCTION_SET), learn, scan, rule_of_name};

}  // namespace INSTRUCTION_SET
