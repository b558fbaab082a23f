/* Advice on the sending server: its address, HELO, reverse DNS and the blocklists. */
#ifndef TESTER_ADVICE_CLIENT_H
#define TESTER_ADVICE_CLIENT_H

#include "functions/tester/advice/advice.h"

/* The parts, each for its findings. */
void advice_client(struct advice_list *list, const struct analysis *analysis); /* HELO, PTR */

#endif
