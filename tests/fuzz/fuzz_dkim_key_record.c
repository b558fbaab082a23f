/* A key record's text: eds_key_record_read(), and OpenSSL as the judge of keys that it finds good.
 */
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <string.h>

#include "functions/lib/dkim/key-record.h"
#include "runtime/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What we call an RSA key of so many bits is one for OpenSSL too, to the last octet. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_key_record key;

	eds_key_record_read(&ctx, (const char *)data, size, &key);
	if (strcmp(key.state, "found") == 0) {
		if (key.public_key == NULL || key.errors.count > 0)
			__builtin_trap();
		if (key.type == EDS_KEY_RSA)
			check_rsa(&ctx, &key);
	}
	rt_arena_free(ctx.arena);
	return 0;
}
