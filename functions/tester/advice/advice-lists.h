/* Advice on blocklists: which lists have the address, for which reason, and how to get off them. */
#ifndef TESTER_ADVICE_LISTS_H
#define TESTER_ADVICE_LISTS_H

#include "functions/tester/advice/advice.h"

/* Adds the advice on the answers of the blocklists. */
void advice_lists(struct advice_list *list, const struct analysis *analysis);

#endif
