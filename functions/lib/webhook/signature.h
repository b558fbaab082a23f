/* The signature of a delivery to a receiver, by "Standard Webhooks" 1.0.0, which has libraries in
 * most languages: HMAC-SHA256 over id, time and body, so that a receiver detects a replay at a
 * later time or under another id.
 *
 *     webhook-id: mfrggzdfmztwq2lknnwg23tpoa
 *     webhook-timestamp: 1769903999
 *     webhook-signature: v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
 */
#ifndef EDS_WEBHOOK_SIGNATURE_H
#define EDS_WEBHOOK_SIGNATURE_H

#include "runtime/ctx.h"

/* The value of webhook-signature; NULL when the secret is invalid. */
char *eds_webhook_signature(struct rt_ctx *ctx, const char *secret, const char *id,
	int64_t timestamp_s, const char *body);

#endif
