#include "functions/lib/webhook/signature.h"

#include "functions/lib/webhook/address.h"
#include "runtime/hmac.h"
#include "runtime/text/base64.h"

char *eds_webhook_signature(struct rt_ctx *ctx, const char *secret, const char *id,
	int64_t timestamp_s, const char *body)
{
	const char *text = rt_printf(ctx, "%s.%lld.%s", id, (long long)timestamp_s, body);
	uint8_t digest[RT_HMAC_BYTES];
	size_t key_length;
	const char *key = eds_webhook_secret_read(ctx, secret, &key_length);

	if (key == NULL)
		return NULL;
	rt_hmac(key, key_length, text, digest);
	return rt_printf(ctx, "v1,%s", rt_base64_encode(ctx, digest, sizeof digest));
}
