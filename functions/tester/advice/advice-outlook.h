/* Advice on why large providers refuse the message, whatever its score. The advice on reverse DNS,
 * on a missing Message-ID and on the domain's own policy is in other files. */
#ifndef TESTER_ADVICE_OUTLOOK_H
#define TESTER_ADVICE_OUTLOOK_H

#include "functions/tester/advice/advice.h"

/* Adds the advice on the reasons in the outlook. */
void advice_outlook(struct advice_list *list, const struct analysis *analysis);

#endif
