/* Requests that must be executed once, even when a client sends them again (functions/lib/once.h):
 * records who executes a request now, and the answer of a finished one.
 *
 * A request claims its key before it does anything, and its answer is written in the transaction of
 * its change. A claim ends at the deadline of the event that made it, so that the key of a killed
 * process becomes free.
 */
#ifndef EDS_STORE_ONCE_H
#define EDS_STORE_ONCE_H

#include "functions/lib/store/store.h"

#define EDS_ONCE_KEPT_MS (INT64_C(24) * 3600 * 1000)

enum {
	EDS_ONCE_ACCOUNT_MAX = 10000, /* maximum number of keys per account at a time */
	EDS_ONCE_EXPIRE_BATCH = 500,  /* maximum number of keys removed in one transaction */
};

/* key and request are digests and holder is random: none of them reveals anything of the
 * request. */
struct eds_once_claim {
	const char *account_id;
	const char *key;
	const char *request;
	const char *holder; /* random text that identifies this claim */
};

enum eds_once_state {
	EDS_ONCE_OURS,  /* the key is claimed: execute the request */
	EDS_ONCE_BUSY,  /* another request with this key is running */
	EDS_ONCE_OTHER, /* the key was used for a different request */
	EDS_ONCE_DONE,  /* the request was executed, and its answer is stored */
	EDS_ONCE_FULL,  /* the account has as many keys as allowed */
};

/* The result of a claim; with EDS_ONCE_DONE also the answer and the holder that made it. */
struct eds_once_found {
	enum eds_once_state state;
	const char *holder;
	const char *answer;
};

RT_MUST_USE rt_status eds_store_once_claim(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, struct eds_once_found *found);

/* Stores the answer, within the transaction of the change (eds_store_also). RT_CONFLICT
 * "idempotency-key-busy" when the claim has ended and another request has the key now. */
RT_MUST_USE rt_status eds_store_once_keep(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_once_claim *claim, const char *answer);

/* Releases the claim, unless it already has an answer. */
RT_MUST_USE rt_status eds_store_once_drop(
	struct rt_ctx *ctx, struct eds_store *store, const struct eds_once_claim *claim);

/* Fails with RT_CONFLICT "idempotency-key-busy". */
RT_MUST_USE rt_status eds_store_once_busy(struct rt_ctx *ctx);

/* Removes keys older than 24 hours, a batch at most. */
RT_MUST_USE rt_status eds_store_once_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
