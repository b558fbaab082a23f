/* Advice about the DMARC record, its policy and alignment. */
#ifndef TESTER_ADVICE_DMARC_H
#define TESTER_ADVICE_DMARC_H

#include "functions/tester/advice/advice.h"

/* Adds the advice on the findings of DMARC. */
void advice_dmarc(struct advice_list *list, const struct analysis *analysis);

#endif
