/* Requests that make something once, though a client that got no answer sends them again
 * (draft-ietf-httpapi-idempotency-key-header-07):
 *
 *     Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"
 *
 * The first answer is kept for 24 hours, in the transaction of what it tells of, and given again to
 * the same request with the same key and token. It may show a secret, as a new token does: it is
 * sealed under client's key and token, of which the database has neither, so that nobody else can
 * read it there. A failure is not kept: the request may be sent again as it is, or mended.
 */
#ifndef EDS_ONCE_H
#define EDS_ONCE_H

#include "functions/lib/store/store.h"
#include "runtime/event/event.h"

enum {
	EDS_ONCE_KEY_MAX = 255, /* octets */
};

struct eds_once {
	const char *account_id; /* that the request's token is of */
	/* Makes the thing; the answer is due to the first transaction that it writes. */
	rt_status (*make)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
	/* Tells of it, within that transaction; may run several times, each time of a fresh res. */
	rt_status (*answer)(struct rt_ctx *ctx, void *arg, struct rt_response *res);
	void *arg;
};

/* make, then answer, once for each key; as often as it is asked without one. Call it last, when the
 * body is known to be in order. RT_BAD_INPUT "idempotency-key-invalid", or "idempotency-key-reused"
 * (422) where the key stands for another request; RT_CONFLICT "idempotency-key-busy" while the
 * first is under way; RT_LIMIT "too-many-idempotency-keys"; what make and answer return. */
RT_MUST_USE rt_status eds_once(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, const struct eds_once *once, struct rt_response *res);

#endif
