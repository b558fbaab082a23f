/* The distance of a word from a known one, to suggest the word that was probably meant. */
#ifndef RT_SLIPS_H
#define RT_SLIPS_H

#include <stddef.h>

enum {
	RT_SLIPS_WORD_MAX = 48, /* octets; a longer word resembles no other */
};

/* Number of octets to insert, remove or replace (Levenshtein); RT_SLIPS_WORD_MAX for words that are
 * too long. */
size_t rt_slips(const char *word, size_t length, const char *known);

#endif
