/* The room that test mail takes in the mail store: a row for each message whose bytes are kept, and
 * the sums of its networks and of all, which change in the same transaction. So they hold over any
 * number of programs, and over their restarts.
 *
 * A sum lies in EDS_STORED_PARTS rows, by the message's id: those who write at once do not wait for
 * one another, mostly.
 */
#ifndef EDS_STORE_STORED_MAIL_H
#define EDS_STORE_STORED_MAIL_H

#include "functions/lib/network.h"
#include "functions/lib/store/store.h"

enum {
	EDS_STORED_PARTS = 16,
	EDS_STORED_BLOCK = 4096, /* a message takes whole blocks, as in a file system */
};

struct eds_stored_mail { /* octets */
	int64_t own;
	int64_t site;
	int64_t all;
};

/* What these networks' messages take, and all messages. */
RT_MUST_USE rt_status eds_store_stored_mail(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_networks *networks, struct eds_stored_mail *stored);

/* Remembers that the message was dropped, until its event can come no more, so that an event that
 * comes again is not one of a lost message. */
RT_MUST_USE rt_status eds_store_mail_drop(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id);
RT_MUST_USE rt_status eds_store_mail_was_dropped(
	struct rt_ctx *ctx, struct eds_store *store, const char *message_id, bool *dropped);

/* Gives back what is left of messages that nobody can want any more, as when a program of the
 * release before removed them: up to EDS_EXPIRE_BATCH. */
RT_MUST_USE rt_status eds_store_stored_mail_expire(struct rt_ctx *ctx, struct eds_store *store);

#endif
