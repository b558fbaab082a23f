/* Mail that waits for something that is away: a function's database or helper, the mail store.
 *
 * Each event waits for itself, so that a message that alone cannot be dealt with holds up nobody.
 * Only when several failed one after the other is what they need taken to be away: then nothing is
 * sent but probes, one for each pause that ends and for each new message, until one succeeds. That
 * one lets all go that wait for the same, once in LET_GO_MS, so that a message that fails for ever
 * is not sent again with every other that succeeds.
 */
#ifndef RUNNER_DISPATCH_WAIT_H
#define RUNNER_DISPATCH_WAIT_H

#include "local/dispatch/dispatch-state.h"
#include "local/dispatch/dispatch.h"

/* dispatch-wait.c: the item had its turn in vain, since something is away. */
void dispatch_wait(struct item *item, struct need *need, const char *reason);

/* The item found what it needs: whoever waits for the same may go. */
void dispatch_served(struct item *item, struct need *need);

/* The item waits for nothing any more. */
void dispatch_want_nothing(struct item *item);

/* False while something is away and no probe is due. */
bool dispatch_has_needs(const struct dispatch *dispatch, const struct queue *queue);

/* Why mail waits for something that is away, a sentence; NULL when none does. */
const char *dispatch_absence(const struct dispatch *dispatch);

#endif
