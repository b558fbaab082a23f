#include "functions/lib/webhook/signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "functions/lib/webhook/address.h"
#include "runtime/base64.h"

char *eds_webhook_signature(struct rt_ctx *ctx, const char *secret, const char *id,
	int64_t timestamp_s, const char *body)
{
	const char *text = rt_printf(ctx, "%s.%lld.%s", id, (long long)timestamp_s, body);
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned digest_length = 0;
	size_t key_length;
	const char *key = eds_webhook_secret_read(ctx, secret, &key_length);

	if (key == NULL ||
		HMAC(EVP_sha256(), key, (int)key_length, (const uint8_t *)text, strlen(text),
			digest, &digest_length) == NULL)
		return NULL;
	return rt_printf(ctx, "v1,%s", rt_base64_encode(ctx, digest, digest_length));
}
