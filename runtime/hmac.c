#include "runtime/hmac.h"

#include <sha2.h>
#include <string.h>

_Static_assert(RT_HMAC_BYTES == SHA256_DIGEST_LENGTH, "a digest");

/* The paddings of RFC 2104 section 2: for each of the two hashes the key's block is XORed with one
 * of these octets. */
enum { INNER = 0x36, OUTER = 0x5c };

static void turn_over(uint8_t block[SHA256_BLOCK_LENGTH], uint8_t octet)
{
	for (size_t i = 0; i < SHA256_BLOCK_LENGTH; i++)
		block[i] ^= octet;
}

static void write_key(
	const void *key, size_t key_length, SHA2_CTX *state, uint8_t block[SHA256_BLOCK_LENGTH])
{
	if (key_length <= SHA256_BLOCK_LENGTH) {
		memcpy(block, key, key_length);
		return;
	}
	SHA256Init(state);
	SHA256Update(state, key, key_length);
	SHA256Final(block, state);
}

void rt_hmac(const void *key, size_t key_length, const char *text, uint8_t out[RT_HMAC_BYTES])
{
	uint8_t block[SHA256_BLOCK_LENGTH] = {0};
	SHA2_CTX state;

	write_key(key, key_length, &state, block);
	turn_over(block, INNER);
	SHA256Init(&state);
	SHA256Update(&state, block, sizeof block);
	SHA256Update(&state, (const uint8_t *)text, strlen(text));
	SHA256Final(out, &state);
	turn_over(block, INNER ^ OUTER);
	SHA256Init(&state);
	SHA256Update(&state, block, sizeof block);
	SHA256Update(&state, out, RT_HMAC_BYTES);
	SHA256Final(out, &state);
	explicit_bzero(block, sizeof block);
}
