/* Advice on the sender's domain as a receiver of mail, and on the message's own header. */
#ifndef TESTER_ADVICE_MESSAGE_H
#define TESTER_ADVICE_MESSAGE_H

#include "functions/tester/advice/advice.h"

/* Add the advice on the domain's MX and on the header. */
void advice_mx(struct advice_list *list, const struct analysis *analysis);
void advice_headers(struct advice_list *list, const struct analysis *analysis);

#endif
