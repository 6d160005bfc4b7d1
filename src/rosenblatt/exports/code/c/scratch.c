/* The most letters of a text, in the form NFKC: a longer one is MODEL_TEXT_TOO_LONG. The library cuts
   texts after 524288 letters. Fewer make the scratch smaller; all files must say the same. */
#ifndef MODEL_MAX_LETTERS
#define MODEL_MAX_LETTERS 524288
#endif
