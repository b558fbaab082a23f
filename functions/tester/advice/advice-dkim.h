/* Advice about DKIM signatures and keys. */
#ifndef TESTER_ADVICE_DKIM_H
#define TESTER_ADVICE_DKIM_H

#include "functions/tester/advice/advice.h"

/* Adds what the findings about signatures call for; it alone may fill the list. */
void advice_dkim(struct advice_list *list, const struct analysis *analysis);

#endif
