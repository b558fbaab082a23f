/* A key record's text, and its lines as the answer of DNS; OpenSSL checks the keys that are found
 * valid. */
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>

#include "functions/lib/dkim/key-record.h"
#include "runtime/text/base64.h"

enum { LINES_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* If we accept octets as an RSA key with this many bits, OpenSSL must also read them as such a key,
 * to the last octet. */
static void check_rsa(struct rt_ctx *ctx, const struct eds_key_record *key)
{
	size_t length;
	const unsigned char *der = (const unsigned char *)rt_base64_decode(
		ctx, key->public_key, strlen(key->public_key), &length);
	const unsigned char *at = der;
	EVP_PKEY *read = d2i_PUBKEY(NULL, &at, (long)length);

	if (read == NULL || at != der + length || EVP_PKEY_get_bits(read) != (int)key->bits)
		__builtin_trap();
	EVP_PKEY_free(read);
}

static void check(struct rt_ctx *ctx, const struct eds_key_record *key)
{
	if (key->state != EDS_KEY_FOUND)
		return;
	if (key->public_key == NULL || key->errors.count > 0)
		__builtin_trap();
	if (key->type == EDS_KEY_RSA)
		check_rsa(ctx, key);
}

static void read_answers(struct rt_ctx *ctx, const char *text, size_t size)
{
	static const enum eds_dns_state states[] = {
		EDS_DNS_FOUND, EDS_DNS_NO_DATA, EDS_DNS_NO_NAME, EDS_DNS_TEMPORARY};
	struct eds_dns_record records[LINES_MAX] = {0};
	struct eds_dns_answer answer = {
		.name = "s", .canonical = "s", .reason = "x", .records = records};
	struct eds_key_record key;
	const char *end = text + size;

	while (text < end && answer.count < LINES_MAX) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((line_end ? line_end : end) - text);

		records[answer.count].txt = rt_memdup(ctx, text, length);
		records[answer.count++].txt_length = length;
		text += length + (line_end ? 1 : 0);
	}
	answer.aliased = answer.count % 2 == 0;
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
		answer.state = states[i];
		if (answer.state == EDS_DNS_FOUND && answer.count == 0)
			continue;
		eds_key_record_from_answer(ctx, &answer, &key);
		check(ctx, &key);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_key_record key;

	eds_key_record_read(&ctx, (const char *)data, size, &key);
	check(&ctx, &key);
	read_answers(&ctx, (const char *)data, size);
	rt_arena_free(ctx.arena);
	return 0;
}
