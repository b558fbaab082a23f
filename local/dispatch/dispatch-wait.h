/* Handles mail that waits for a need that does not work: a function's database or helper, or the
 * mail store.
 *
 * Each event waits on its own, so that one message that cannot be processed does not delay others.
 * Only after several failures in a row does the dispatch treat the need as broken: then it sends
 * only probes, one for each pause that ends and for each new message, until one succeeds. That
 * success ends the pauses of all events that wait for the same need, at most once in LET_GO_MS, so
 * that a message that always fails is not sent again after every success of another.
 */
#ifndef RUNNER_DISPATCH_WAIT_H
#define RUNNER_DISPATCH_WAIT_H

#include "local/dispatch/dispatch-state.h"
#include "local/dispatch/dispatch.h"

/* The item failed in its turn because this need does not work: pauses it, or gives it up when its
 * mail is too old. */
void dispatch_wait(struct item *item, struct need *need, const char *reason);

/* The item's need was available: ends the pauses of the items that wait for the same need. */
void dispatch_served(struct item *item, struct need *need);

/* Marks that the item no longer waits for a need. */
void dispatch_want_nothing(struct item *item);

/* Whether the queue may send an event: false while a need does not work and no probe is due. */
bool dispatch_has_needs(const struct dispatch *dispatch, const struct queue *queue);

/* The sentence why mail waits for a need that does not work; NULL when no mail waits. */
const char *dispatch_absence(const struct dispatch *dispatch);

#endif
