/* The outbox: what is to be told to receivers that users have named. A row is written in the
 * transaction of the change that it tells of, so that none is lost, and none is sent for a change
 * that was not committed. Any number of processes send what is due: each row is claimed with a
 * lease, and due again when nobody wrote its outcome before the lease was over. So a receiver gets
 * each at least once, every time under the same id.
 *
 * A row keeps its body and its secret until nothing is to be sent any more.
 */
#ifndef EDS_STORE_OUTBOX_H
#define EDS_STORE_OUTBOX_H

#include "functions/lib/store/store.h"

enum {
	EDS_OUTBOX_LEASE_MS = 90 * 1000,       /* longer than a delivery may take */
	EDS_OUTBOX_LIFE_MS = 24 * 3600 * 1000, /* then it is given up */
	EDS_OUTBOX_FORGET_BATCH = 500,
};

/* As it is shown: "waiting", "delivered", "failed". */
struct eds_outbox_seen {
	const char *id;
	const char *event; /* of its origin */
	int64_t created_at_ms;
	const char *state;
	int64_t tries;
	int64_t tried_at_ms;     /* the last; 0 never */
	int64_t due_at_ms;       /* the next; 0: there is none */
	int64_t status;          /* the last answer's, 0 without */
	const char *reason_code; /* why the last try failed; NULL where it did not */
	const char *reason;
};

enum eds_outbox_outcome {
	EDS_OUTBOX_OPEN, /* nothing is written */
	EDS_OUTBOX_DELIVERED,
	EDS_OUTBOX_LATER,   /* it was tried, and is again at next_at_ms */
	EDS_OUTBOX_UNTRIED, /* it was not tried, and is at next_at_ms */
	EDS_OUTBOX_FAILED,  /* it is given up */
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
	int64_t tries; /* with the one that was claimed */
	int64_t lease_ms;

	enum eds_outbox_outcome outcome;
	int64_t next_at_ms;
	int64_t status;
	const char *reason_code;
	const char *reason;
};

/* The latest of an origin. *found is false where there is none. */
RT_MUST_USE rt_status eds_store_outbox_latest(struct rt_ctx *ctx, struct eds_store *store,
	const char *origin, struct eds_outbox_seen *seen, bool *found);

/* The latest of an origin, the newest first, limit at most. */
RT_MUST_USE rt_status eds_store_outbox_list(struct rt_ctx *ctx, struct eds_store *store,
	const char *origin, int limit, struct eds_outbox_seen **seen, size_t *count);

/* Removes rows past their time, EDS_OUTBOX_FORGET_BATCH at most. */
RT_MUST_USE rt_status eds_store_outbox_forget(struct rt_ctx *ctx, struct eds_store *store);

#endif
