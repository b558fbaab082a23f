/* The known word that was probably meant by a misspelt one: the same rule for query parameters,
 * settings and commands. */
#ifndef RT_SLIPS_H
#define RT_SLIPS_H

#include <stddef.h>

enum {
	RT_SLIPS_WORD_MAX = 48, /* octets; a longer word resembles no other */
};

/* Number of octets to insert, remove or replace, or of neighbors to exchange (optimal string
 * alignment); RT_SLIPS_WORD_MAX for words that are too long. */
size_t rt_slips(const char *word, size_t length, const char *known);

/* The search for the word that was meant. Begin with word and length, and offer each known word. */
struct rt_meant {
	const char *word;
	size_t length;
	const char *found; /* the nearest known word so far; NULL while none is near */
	size_t slips;      /* of found */
};

/* Keeps the known word if it is near, and nearer than those before. Near means that at most a third
 * of the longer of both words differs: a suggestion that shares less with the word only misleads.
 */
void rt_meant_offer(struct rt_meant *meant, const char *known);

#endif
