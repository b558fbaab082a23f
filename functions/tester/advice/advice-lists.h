/* Advice on blocklists: who lists the address, as what, and what can be done about it. */
#ifndef TESTER_ADVICE_LISTS_H
#define TESTER_ADVICE_LISTS_H

#include "functions/tester/advice/advice.h"

/* The parts, each for its findings. */
void advice_lists(struct advice_list *list, const struct analysis *analysis);

#endif
