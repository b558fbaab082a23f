/* Copies a message from the spool into the mail store, using the mail mover's threads, and then
 * sends its event. */
#ifndef RUNNER_DISPATCH_SEND_H
#define RUNNER_DISPATCH_SEND_H

#include "local/dispatch/dispatch-state.h"

/* Puts the item's message into the mail store and sends its event. The item must have been taken
 * from its fair queue. */
void dispatch_send(struct item *item);

#endif
