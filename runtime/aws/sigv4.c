#include "runtime/aws/sigv4.h"

#include <sha2.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

#include "runtime/buffer.h"
#include "runtime/hmac.h"
#include "runtime/text/hex.h"
#include "runtime/text/percent.h"

enum {
	HASH_BYTES = RT_HMAC_BYTES,
	CANONICAL_BYTES_MAX = 64 * 1024,
	DAY_LENGTH = 8,
};

#define ALGORITHM "AWS4-HMAC-SHA256"

const char sigv4_empty_hash[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void to_hex(const uint8_t hash[HASH_BYTES], char text[SIGV4_HASH_TEXT_BYTES])
{
	*rt_hex_write(text, hash, HASH_BYTES) = '\0';
}

void sigv4_hash(const struct iovec *parts, int part_count, char text[SIGV4_HASH_TEXT_BYTES])
{
	uint8_t hash[HASH_BYTES];
	SHA2_CTX state;

	SHA256Init(&state);
	for (int i = 0; i < part_count; i++)
		SHA256Update(&state, parts[i].iov_base, parts[i].iov_len);
	SHA256Final(hash, &state);
	to_hex(hash, text);
}

static void hash_text(const char *bytes, size_t length, uint8_t hash[HASH_BYTES])
{
	SHA2_CTX state;

	SHA256Init(&state);
	SHA256Update(&state, (const uint8_t *)bytes, length);
	SHA256Final(hash, &state);
}

void sigv4_time(int64_t wall_ms, char text[SIGV4_TIME_BYTES])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm utc;

	gmtime_r(&seconds, &utc);
	strftime(text, SIGV4_TIME_BYTES, "%Y%m%dT%H%M%SZ", &utc);
}

char *sigv4_encode(struct rt_ctx *ctx, const char *text, bool keep_slash)
{
	char *encoded = rt_alloc(ctx, strlen(text) * 3 + 1);

	percent_encode(encoded, text, keep_slash ? "/" : "");
	return encoded;
}

static char *signed_names(struct rt_ctx *ctx, const struct sigv4_request *request)
{
	struct rt_buffer names;

	rt_buffer_init(&names, ctx, CANONICAL_BYTES_MAX);
	for (size_t i = 0; i < request->header_count; i++)
		rt_buffer_format(&names, "%s%s", i > 0 ? ";" : "", request->headers[i].name);
	return names.bytes;
}

static void hash_canonical(struct rt_ctx *ctx, const struct sigv4_request *request,
	const char *names, char text[SIGV4_HASH_TEXT_BYTES])
{
	struct rt_buffer canonical;
	uint8_t hash[HASH_BYTES];

	rt_buffer_init(&canonical, ctx, CANONICAL_BYTES_MAX);
	rt_buffer_format(
		&canonical, "%s\n%s\n%s\n", request->method, request->path, request->query);
	for (size_t i = 0; i < request->header_count; i++)
		rt_buffer_format(
			&canonical, "%s:%s\n", request->headers[i].name, request->headers[i].value);
	rt_buffer_format(&canonical, "\n%s\n%s", names, request->payload_hash);
	hash_text(canonical.bytes, canonical.length, hash);
	to_hex(hash, text);
}

/* Derives the signing key, which is valid for one day, region and service. */
static void derive_key(struct rt_ctx *ctx, const char *secret, const char *day,
	const struct sigv4_scope *scope, uint8_t key[HASH_BYTES])
{
	char *first = rt_printf(ctx, "AWS4%s", secret);

	rt_hmac(first, strlen(first), day, key);
	rt_hmac(key, HASH_BYTES, scope->region, key);
	rt_hmac(key, HASH_BYTES, scope->service, key);
	rt_hmac(key, HASH_BYTES, "aws4_request", key);
	explicit_bzero(first, strlen(first));
}

char *sigv4_authorization(struct rt_ctx *ctx, const struct sigv4_request *request,
	const struct sigv4_scope *scope, const struct sigv4_key *key)
{
	const char *day = rt_memdup(ctx, scope->time, DAY_LENGTH);
	const char *where = rt_printf(
		ctx, "%s/%s/%s/aws4_request", day, scope->region, scope->service);
	const char *names = signed_names(ctx, request);
	char canonical_hash[SIGV4_HASH_TEXT_BYTES];
	char signature[SIGV4_HASH_TEXT_BYTES];
	uint8_t hash[HASH_BYTES];
	uint8_t derived[HASH_BYTES];

	hash_canonical(ctx, request, names, canonical_hash);
	derive_key(ctx, key->secret, day, scope, derived);
	rt_hmac(derived, sizeof derived,
		rt_printf(ctx, ALGORITHM "\n%s\n%s\n%s", scope->time, where, canonical_hash), hash);
	explicit_bzero(derived, sizeof derived);
	to_hex(hash, signature);
	return rt_printf(ctx, ALGORITHM " Credential=%s/%s,SignedHeaders=%s,Signature=%s", key->id,
		where, names, signature);
}
