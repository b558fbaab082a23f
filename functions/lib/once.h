/* Lets a request create its object only once, even when a client that got no answer sends the
 * request again (draft-ietf-httpapi-idempotency-key-header-07):
 *
 *     Idempotency-Key: "8e03978e-40d5-43e8-bc93-6894a57f9324"
 *
 * The first answer is stored for 24 hours, in the same transaction as the new object, and given
 * again to the same request with the same key and token. An answer may contain a secret, for
 * example a new token. So the answer is sealed under the client's key and token; the database has
 * neither, so nobody else can read the answer there. Failures are not stored: the request may be
 * sent again, unchanged or corrected.
 */
#ifndef EDS_ONCE_H
#define EDS_ONCE_H

#include "functions/lib/store/store.h"
#include "runtime/event/event.h"

enum {
	EDS_ONCE_KEY_MAX = 255, /* maximum number of octets of a key */
};

struct eds_once {
	const char *account_id; /* account of the request's token */
	/* Creates the object. With a key, the first transaction in which this function writes also
	 * stores the answer. */
	rt_status (*make)(struct rt_ctx *ctx, struct eds_store *store, void *arg);
	/* Writes the answer to res. With a key, runs within the transaction of make(), and may run
	 * several times, each time with a fresh res. Without a key, runs once, after make(). */
	rt_status (*answer)(struct rt_ctx *ctx, void *arg, struct rt_response *res);
	void *arg;
};

/* Runs make(), then answer(), once per key; for a request without a key, each time. Call it last,
 * when the body has been checked. Fails as make() and answer() do, and with
 * - RT_BAD_INPUT "idempotency-key-invalid",
 * - RT_BAD_INPUT "idempotency-key-reused" (422) when the key was used for a different request,
 * - RT_CONFLICT "idempotency-key-busy" while the first request is running,
 * - RT_LIMIT "too-many-idempotency-keys" when the account has as many keys as allowed. */
RT_MUST_USE rt_status eds_once(struct rt_ctx *ctx, const struct rt_request *req,
	struct eds_store *store, const struct eds_once *once, struct rt_response *res);

#endif
