/* What large providers refuse the message for, whatever its score: what to do about it. Reverse DNS
 * and a domain's own policy have advice of their own. */
#ifndef TESTER_ADVICE_OUTLOOK_H
#define TESTER_ADVICE_OUTLOOK_H

#include "functions/tester/advice/advice.h"

/* The parts, each for its findings. */
void advice_outlook(struct advice_list *list, const struct analysis *analysis);

#endif
