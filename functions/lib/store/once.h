/* Requests that are to be done once, though a client may send them again (functions/lib/once.h):
 * who does one now, and the answer to one that is done.
 *
 * A request claims its key before it does anything, and its answer is written in the transaction
 * of its change. A claim ends with the time of the event that made it, so that what a killed
 * process held is free again.
 */
#ifndef EDS_STORE_ONCE_H
#define EDS_STORE_ONCE_H

#include "functions/lib/store/store.h"

#define EDS_ONCE_KEPT_MS (INT64_C(24) * 3600 * 1000)

enum {
	EDS_ONCE_ACCOUNT_MAX = 10000, /* of an account at a time */
	EDS_ONCE_EXPIRE_BATCH = 500,  /* forgotten in a transaction */
};

/* Texts that say nothing about what they stand for. */
struct eds_once_claim {
	const char *account_id;
	const char *key;
	const char *request;
	const char *holder; /* of this claim alone */
};

enum eds_once_state {
	EDS_ONCE_OURS,  /* claimed: do it */
	EDS_ONCE_BUSY,  /* another request with the key is under way */
	EDS_ONCE_OTHER, /* the key stands for another request */
	EDS_ONCE_DONE,  /* there is an answer */
	EDS_ONCE_FULL,  /* the account has as many as it may */
};

/* What eds_once_claim finds; with EDS_ONCE_DONE the holder that made the answer, and the answer. */
struct eds_once_found {
	enum eds_once_state state;
	const char *holder;
	const char *answer;
};

RT_MUST_USE rt_status eds_store_once_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, struct eds_once_found *found);

/* Within the transaction of the change (eds_store_also). RT_CONFLICT "idempotency-key-busy" when
 * the claim has ended and another request has the key now. */
RT_MUST_USE rt_status eds_store_once_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, const char *answer);

/* Gives the claim back, unless it has its answer. */
RT_MUST_USE rt_status eds_store_once_drop(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_once_claim *claim);

/* "idempotency-key-busy". */
RT_MUST_USE rt_status eds_store_once_busy(struct rt_ctx *ctx);

/* Forgets those of more than 24 hours, a batch at most. */
RT_MUST_USE rt_status eds_store_once_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
