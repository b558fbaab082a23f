/* Puts off mail about which a function cannot decide yet although nothing on our side is broken:
 * for example a report whose sender cannot be verified because the sender's name servers do not
 * answer.
 *
 * An event that is put off is sent again after pauses that grow to PUT_OFF_MS_MAX, in turns with
 * the mail of other clients. Other events are sent meanwhile, because they may have other senders.
 *
 * There are limits for how often a message is put off, and for how many messages of a client are
 * put off at a time (fair-queue.h). The event tells the function whether it may put the message off
 * (comesAgain, runtime/event/event.h); when a limit is reached it may not, and must decide at once.
 *
 * While a message is put off, its segment of the spool is kept, with the other mail that was
 * received in the same minute.
 */
#ifndef RUNNER_DISPATCH_PUT_OFF_H
#define RUNNER_DISPATCH_PUT_OFF_H

#include "local/dispatch/dispatch-state.h"

enum {
	PUT_OFF_MS_MAX = 20 * 60 * 1000, /* longest pause between two tries */
	PUT_OFFS_MAX = 12, /* how often a message may be put off: for nearly 3 hours in all; a
			    * function may decide earlier, as the one for reports does */
};

/* True if the item, whose event is about to be sent, may be put off. */
bool dispatch_may_put_off(const struct item *item);

/* Handles the answer of a function that puts the item off; reason is a sentence. */
void dispatch_put_off(struct item *item, const char *reason);

/* To be called when the item leaves the dispatch: the item is no longer counted as put off. */
void dispatch_forget_put_off(const struct item *item);

#endif
