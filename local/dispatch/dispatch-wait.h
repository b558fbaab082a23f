/* Handles mail that waits for a need that does not work: a function's database or helper, or the
 * mail store.
 *
 * Each event waits separately, so that one message that cannot be processed does not delay others.
 * After several failures in a row the dispatch treats the need as broken. It then sends only probes
 * until one of them succeeds. A probe is a new message, an event whose pause has ended, or the next
 * event after one that was given up. The success ends the pauses of all events that wait for the
 * same need. Pauses are ended at most once in LET_GO_MS, so that a message that always fails is not
 * sent again after every success of another message.
 */
#ifndef RUNNER_DISPATCH_WAIT_H
#define RUNNER_DISPATCH_WAIT_H

#include "local/dispatch/dispatch-state.h"
#include "local/dispatch/dispatch.h"

/* Handles a failure of the item because this need does not work: pauses the item, or gives it up
 * when its mail is too old. */
void dispatch_wait(struct item *item, struct need *need, const char *reason);

/* To be called when an event has shown that this need works: ends the pauses of the items that wait
 * for the need. */
void dispatch_served(struct item *item, struct need *need);

/* Marks the item as not waiting for a need. */
void dispatch_want_nothing(struct item *item);

/* True if the queue may send an event; false while a need does not work and no probe is due. */
bool dispatch_has_needs(const struct dispatch *dispatch, const struct queue *queue);

/* A sentence that says why mail waits for a need that does not work; NULL when no mail waits. */
const char *dispatch_absence(const struct dispatch *dispatch);

#endif
