/* Puts off mail that its function cannot decide about yet although nothing is broken, as a report
 * whose sender cannot be verified because the sender's name servers do not answer.
 *
 * The event says whether the function may put it off. It is sent again after pauses that grow to
 * PUT_OFF_MS_MAX, in turns with other clients' mail. Other events go on: they may have other
 * senders. How often that happens to a message, and how many messages of a client are put off at a
 * time, is bounded; an event beyond that does not say that it comes again, so that the function
 * decides at once. A message that is put off keeps its segment of the spool, with the other mail of
 * that minute.
 */
#ifndef RUNNER_DISPATCH_PUT_OFF_H
#define RUNNER_DISPATCH_PUT_OFF_H

#include "local/dispatch/dispatch-state.h"

enum {
	PUT_OFF_MS_MAX = 20 * 60 * 1000,
	PUT_OFFS_MAX = 12, /* about 2 hours with the longest pauses; reports take one */
};

/* Whether the item, which has its turn, may be put off. */
bool dispatch_may_put_off(const struct item *item);

/* The function put the item off in its turn. */
void dispatch_put_off(struct item *item, const char *reason);

/* The item leaves the dispatch. */
void dispatch_forget_put_off(const struct item *item);

#endif
