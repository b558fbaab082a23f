/* Finds the known word that was probably meant by a misspelled one, by the same rule for query
 * parameters, settings and commands. */
#ifndef RT_SLIPS_H
#define RT_SLIPS_H

#include <stddef.h>

enum {
	/* maximum length of a word, octets; a longer word resembles no other */
	RT_SLIPS_WORD_MAX = 48,
};

/* The minimum number of typing errors that turn known into word (optimal string alignment). An
 * error inserts, removes or replaces one octet, or exchanges two neighbors. RT_SLIPS_WORD_MAX if
 * one of the words is too long. */
size_t rt_slips(const char *word, size_t length, const char *known);

/* The search for the word that was meant. Set word and length, then offer each known word with
 * rt_meant_offer(). */
struct rt_meant {
	const char *word;
	size_t length;
	const char *found; /* the nearest known word so far; NULL while none is near */
	size_t slips;      /* number of typing errors that turn found into word */
};

/* Stores the known word in found if it is near, and nearer than the earlier ones. Near means that
 * at most a third of the octets of the longer word differ; a word with more differences would only
 * mislead. */
void rt_meant_offer(struct rt_meant *meant, const char *known);

#endif
