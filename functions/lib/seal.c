#include "functions/lib/seal.h"

#include <stdio.h>
#include <string.h>

#include "runtime/text/base64.h"

enum {
	COUNTER_TEXT = 24,
};

static void derive(struct rt_ctx *ctx, const uint8_t *secret, const char *purpose, const char *name,
	uint8_t key[RT_HMAC_BYTES])
{
	rt_hmac(secret, RT_HMAC_BYTES, rt_printf(ctx, "%s %s", purpose, name), key);
}

static void add_stream(const uint8_t key[RT_HMAC_BYTES], char *bytes, size_t length)
{
	uint8_t block[RT_HMAC_BYTES];
	char counter[COUNTER_TEXT];

	for (size_t i = 0; i < length; i++) {
		if (i % RT_HMAC_BYTES == 0) {
			snprintf(counter, sizeof counter, "%zu", i / RT_HMAC_BYTES);
			rt_hmac(key, RT_HMAC_BYTES, counter, block);
		}
		bytes[i] = (char)(bytes[i] ^ (char)block[i % RT_HMAC_BYTES]);
	}
}

static char *tag_of(
	struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *covered)
{
	uint8_t key[RT_HMAC_BYTES];
	uint8_t tag[RT_HMAC_BYTES];

	derive(ctx, secret, "tag", name, key);
	rt_hmac(key, sizeof key, covered, tag);
	return rt_base64_encode(ctx, tag, sizeof tag);
}

char *eds_seal(struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *text)
{
	size_t length = strlen(text);
	char *bytes = rt_memdup(ctx, text, length);
	uint8_t key[RT_HMAC_BYTES];
	char *covered;

	derive(ctx, secret, "stream", name, key);
	add_stream(key, bytes, length);
	covered = rt_base64_encode(ctx, bytes, length);
	return rt_printf(ctx, "%s.%s", covered, tag_of(ctx, secret, name, covered));
}

char *eds_seal_open(struct rt_ctx *ctx, const uint8_t *secret, const char *name, const char *sealed)
{
	size_t covered_length = strcspn(sealed, ".");
	const char *covered = rt_memdup(ctx, sealed, covered_length);
	uint8_t key[RT_HMAC_BYTES];
	size_t length;
	char *bytes;

	if (sealed[covered_length] != '.' ||
		strcmp(sealed + covered_length + 1, tag_of(ctx, secret, name, covered)) != 0)
		return NULL;
	bytes = rt_base64_decode(ctx, covered, covered_length, &length);
	if (bytes == NULL)
		return NULL;
	derive(ctx, secret, "stream", name, key);
	add_stream(key, bytes, length);
	return bytes;
}
