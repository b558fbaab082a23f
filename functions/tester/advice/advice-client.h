/* Advice on the sending server: its address, HELO and reverse DNS. */
#ifndef TESTER_ADVICE_CLIENT_H
#define TESTER_ADVICE_CLIENT_H

#include "functions/tester/advice/advice.h"

/* Adds the advice on the findings about the client address, HELO and PTR. */
void advice_client(struct advice_list *list, const struct analysis *analysis);

#endif
