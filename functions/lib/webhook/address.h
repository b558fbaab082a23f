/* The address of a receiver that a user names, and the secret that what is sent there is signed
 * with (signature.h):
 *
 *     https://ci.example.com/hooks/mail?job=17        whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
 *
 * HTTPS at its own port alone: what is sent there is a POST that the user has us make, so it must
 * not reach a service of another kind. The host is a name, whose certificate proves the receiver;
 * where the name leads is judged when it is connected to (functions/lib/fetch).
 */
#ifndef EDS_WEBHOOK_ADDRESS_H
#define EDS_WEBHOOK_ADDRESS_H

#include "runtime/ctx.h"

enum {
	EDS_WEBHOOK_ADDRESS_MAX = 1024, /* octets */
	EDS_WEBHOOK_SECRET_BYTES_MIN = 24,
	EDS_WEBHOOK_SECRET_BYTES_MAX = 64,
};

struct eds_webhook_address {
	const char *host; /* lower case, A-labels */
	const char *path; /* with the query, at least "/" */
};

/* False with the end of a sentence ("must …") for what may not be a receiver's. */
RT_MUST_USE bool eds_webhook_address_read(struct rt_ctx *ctx, const char *text,
	struct eds_webhook_address *address, const char **reason);

/* A new one, of 32 octets of the kernel's generator. */
char *eds_webhook_secret_new(struct rt_ctx *ctx);

/* The octets behind "whsec_", in base64 as the Standard Webhooks write them; NULL when it is none,
 * or has too few octets or too many. */
char *eds_webhook_secret_read(struct rt_ctx *ctx, const char *text, size_t *length);

#endif
