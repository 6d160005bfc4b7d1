/* The largest number of letters of a text in the form NFKC: a longer one is MODEL_TEXT_TOO_LONG. */
#ifndef MODEL_MAX_LETTERS
#define MODEL_MAX_LETTERS 524288
#endif
