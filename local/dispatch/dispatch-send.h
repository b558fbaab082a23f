/* From the spool into the mail store, by the mail mover's threads, and then the event. */
#ifndef RUNNER_DISPATCH_SEND_H
#define RUNNER_DISPATCH_SEND_H

#include "local/dispatch/dispatch-state.h"

/* dispatch-send.c: puts the message into the mail store and sends the event. The item has its turn.
 */
void dispatch_send(struct item *item);

#endif
