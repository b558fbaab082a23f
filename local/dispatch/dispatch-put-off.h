/* Puts off mail about which a function cannot decide yet although nothing on our side is broken:
 * for example a report whose sender cannot be verified because the sender's name servers do not
 * answer.
 *
 * An event that is put off is sent again after pauses that grow to PUT_OFF_MS_MAX, in turns with
 * the mail of other clients. Other events are sent meanwhile, because they may have other senders.
 *
 * There is a limit for how often a message is put off. There are also limits for the number and the
 * octets of the messages that are put off at a time, for each client and in total (fair-queue.h).
 * The event tells the function whether the function may put the message off (comesAgain,
 * runtime/event/event.h). When a limit is reached, the function must decide at once.
 *
 * While a message is put off, its segment of the spool is kept, with the other mail that was
 * received in the same minute.
 */
#ifndef RUNNER_DISPATCH_PUT_OFF_H
#define RUNNER_DISPATCH_PUT_OFF_H

#include "local/dispatch/dispatch-state.h"

enum {
	PUT_OFF_MS_MAX = 20 * 60 * 1000, /* longest pause between two tries */
	/* how often a message may be put off; the pauses add up to nearly 3 hours. A function may
	 * decide earlier: the function for reports does. */
	PUT_OFFS_MAX = 12,
};

/* True if the item, whose event is about to be sent, may be put off. */
bool dispatch_may_put_off(const struct item *item);

/* Handles the answer of a function that puts the item off; reason is a sentence. */
void dispatch_put_off(struct item *item, const char *reason);

/* To be called when the item leaves the dispatch: the item is no longer counted as put off. */
void dispatch_forget_put_off(const struct item *item);

#endif
