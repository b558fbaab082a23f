/* Requests that must be executed only once, even when a client sends them again
 * (functions/lib/once.h). This module records which process executes a request now, and the answer
 * of a finished request.
 *
 * A request claims its key (the value of Idempotency-Key) before it does anything. Its answer is
 * written in the same transaction as the change that the request makes. A claim ends at the
 * deadline of the event that made it, so that the key of a killed process becomes free.
 */
#ifndef EDS_STORE_ONCE_H
#define EDS_STORE_ONCE_H

#include "functions/lib/store/store.h"

#define EDS_ONCE_KEPT_MS (INT64_C(24) * 3600 * 1000)

enum {
	EDS_ONCE_ACCOUNT_MAX = 10000, /* maximum number of keys per account at a time */
	EDS_ONCE_EXPIRE_BATCH = 500,  /* maximum number of keys removed in one transaction */
};

/* `key` and `request` are digests, and `holder` is random, so that these members reveal nothing of
 * the request. */
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
	EDS_ONCE_FULL,  /* the account already has the maximum number of keys */
};

/* The result of a claim. With EDS_ONCE_DONE, `answer` is the stored answer, and `holder` identifies
 * the claim under which the request was executed. With EDS_ONCE_OURS and EDS_ONCE_FULL, both are
 * NULL. */
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

/* Removes keys older than 24 hours, EDS_ONCE_EXPIRE_BATCH at most. */
RT_MUST_USE rt_status eds_store_once_expire(
	struct rt_ctx *ctx, struct eds_store *store, size_t *removed);

#endif
