/* Advice about DKIM signatures and keys. */
#ifndef TESTER_ADVICE_DKIM_H
#define TESTER_ADVICE_DKIM_H

#include "functions/tester/advice/advice.h"

/* Adds the advice on DKIM. Must be called last: a message with many signatures can fill the list.
 */
void advice_dkim(struct advice_list *list, const struct analysis *analysis);

#endif
