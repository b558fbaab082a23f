/* The address of a receiver that a user names, and the secret that signs the deliveries to it
 * (signature.h):
 *
 *     https://ci.example.com/hooks/mail?job=17        whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
 *
 * Only HTTPS on its default port is allowed: the user makes us send a POST, which must not reach
 * another kind of service. The host must be a name, because the receiver proves with a certificate
 * that it has this name. The addresses of the name are checked on connection (functions/lib/fetch).
 */
#ifndef EDS_WEBHOOK_ADDRESS_H
#define EDS_WEBHOOK_ADDRESS_H

#include "runtime/ctx.h"

enum {
	EDS_WEBHOOK_ADDRESS_MAX = 1024, /* maximum length of an address */
	EDS_WEBHOOK_SECRET_BYTES_MIN = 24,
	EDS_WEBHOOK_SECRET_BYTES_MAX = 64,
};

struct eds_webhook_address {
	const char *host; /* the host in lower case, as A-labels */
	const char *path; /* path and query, at least "/" */
};

/* Reads an address. False when the address is not allowed; *reason is then the end of a sentence
 * ("must …"). */
RT_MUST_USE bool eds_webhook_address_read(struct rt_ctx *ctx, const char *text,
	struct eds_webhook_address *address, const char **reason);

/* A new secret, made from 32 octets of the kernel's random generator. */
char *eds_webhook_secret_new(struct rt_ctx *ctx);

/* Decodes a secret in the form of Standard Webhooks: base64 after "whsec_". NULL when the secret is
 * invalid or has too few or too many octets. */
char *eds_webhook_secret_read(struct rt_ctx *ctx, const char *text, size_t *length);

#endif
