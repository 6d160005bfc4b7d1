// The table of the set that this file is compiled for.

#include "arithmetic/table.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

namespace INSTRUCTION_SET {

std::int64_t learn(const Problem& problem, bool single);
void scan(const Problem& problem, bool single, std::int64_t* chosen);
void refresh(const StateView&, bool single, const RowsView* rows, bool single_rows, std::int64_t i);
const Rule* rule_of_name(const char* name);
extern const HullFunctions hull_functions;
extern const ScoreFunctions score_functions;
extern const KernelFunctions kernel_functions;

extern const Arithmetic arithmetic = {
    TEXT(INSTRUCTION_SET), learn, scan, refresh, rule_of_name, &hull_functions, &score_functions,
    &kernel_functions};

}  // namespace INSTRUCTION_SET
