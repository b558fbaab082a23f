/* The outbox: messages to receivers that users have named. A row is written in the transaction of
 * the change that it reports, so no message is lost, and no message is sent for a change that was
 * not committed. Any number of processes send due rows: each row is claimed with a lease, and is
 * due again when no outcome is written before the lease ends. So a receiver may get a message more
 * than once, always under the same id. The rows of mail alerts have no leases of their own
 * (alert-mail.h).
 *
 * When a message to a webhook needs no further try, its row loses the secret. The row also loses
 * its body, unless it is the row of an alert (outbox-add.h).
 */
#ifndef EDS_STORE_OUTBOX_H
#define EDS_STORE_OUTBOX_H

#include "functions/lib/store/store.h"

enum {
	EDS_OUTBOX_LEASE_MS = 90 * 1000,       /* life of a lease: longer than a delivery may
						* take */
	EDS_OUTBOX_LIFE_MS = 24 * 3600 * 1000, /* how long a row is tried before it is given up */
	EDS_OUTBOX_FORGET_BATCH = 500,
};

/* A row as users see it; state is "waiting", "delivered" or "failed". */
struct eds_outbox_seen {
	const char *id;
	const char *event; /* names the event within its origin */
	int64_t created_at_ms;
	const char *state;
	int64_t tries;
	int64_t tried_at_ms;     /* time of the last try; 0 if there was none */
	int64_t due_at_ms;       /* time of the next try; 0 if there is none */
	int64_t status;          /* HTTP status or SMTP code of the last answer; 0 if none */
	const char *reason_code; /* why the last try failed or was not made, or why the row was
				  * given up; NULL if none of these */
	const char *reason;
};

enum eds_outbox_outcome {
	EDS_OUTBOX_OPEN, /* no outcome: nothing is written, and the row is due again after the
			  * lease */
	EDS_OUTBOX_DELIVERED,
	EDS_OUTBOX_LATER,      /* the try failed; the row is due again at next_at_ms */
	EDS_OUTBOX_UNTRIED,    /* the delivery was not tried: the reason is recorded, no try is
				* counted, and the row is due at next_at_ms */
	EDS_OUTBOX_GIVEN_BACK, /* as if the row had not been claimed: nothing is recorded, and the
				* row is due at next_at_ms */
	EDS_OUTBOX_FAILED,     /* the row is given up */
};

struct eds_outbox_due {
	const char *id;
	const char *origin;
	const char *account_id;
	const char *url;
	const char *secret;
	const char *body;
	int64_t created_at_ms;
	int64_t until_ms;
	int64_t tries; /* tries so far, including the one that the claim is for */
	int64_t lease_ms;

	enum eds_outbox_outcome outcome;
	int64_t next_at_ms;
	int64_t status;
	const char *reason_code;
	const char *reason;
};

/* The latest row of an origin. *found is false when there is none. */
RT_MUST_USE rt_status eds_store_outbox_latest(struct rt_ctx *ctx, struct eds_store *store,
	const char *origin, struct eds_outbox_seen *seen, bool *found);

/* The latest rows of an origin, newest first; at most `limit` of them. */
RT_MUST_USE rt_status eds_store_outbox_list(struct rt_ctx *ctx, struct eds_store *store,
	const char *origin, int limit, struct eds_outbox_seen **seen, size_t *count);

/* Removes at most EDS_OUTBOX_FORGET_BATCH rows whose forget_at_ms (outbox-add.h) has passed. */
RT_MUST_USE rt_status eds_store_outbox_forget(struct rt_ctx *ctx, struct eds_store *store);

#endif
