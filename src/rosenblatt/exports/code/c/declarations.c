#ifndef MODEL_DECLARED
#define MODEL_DECLARED

#include <stddef.h>
#include <stdint.h>

@CONSTANTS@

/* What model_predict returns in the place of an index of model_classes. */
enum {
@FAULTS@
};

extern const char *const model_classes[MODEL_CLASSES];

@STRUCTS@
@PROTOTYPES@

#endif /* MODEL_DECLARED */

#ifndef MODEL_DECLARATIONS

@INCLUDES@

/* Each product is rounded before it is added, as in the library. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
