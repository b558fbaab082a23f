/* Advice about SPF: what to publish so that the sending server is authorized. */
#ifndef TESTER_ADVICE_SPF_H
#define TESTER_ADVICE_SPF_H

#include "functions/tester/advice/advice.h"

/* Adds the advice on the findings of SPF. */
void advice_spf(struct advice_list *list, const struct analysis *analysis);

#endif
