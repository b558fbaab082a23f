#include "functions/lib/auth/token.h"

#include <sha2.h>
#include <string.h>

#define PREFIX "eds_"
#define BASE62 "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum {
	PREFIX_LENGTH = sizeof PREFIX - 1,
	RANDOM_LENGTH = 30,
	CHECKSUM_AT = PREFIX_LENGTH + RANDOM_LENGTH,
	CHECKSUM_LENGTH = EDS_TOKEN_LENGTH - CHECKSUM_AT,
};

/* CRC-32 as in zip and PNG (ISO 3309), over the characters before the checksum. */
static uint32_t crc32(const char *bytes, size_t length)
{
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i < length; i++) {
		crc ^= (unsigned char)bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

/* 62^6 exceeds 2^32, so the checksum always fits. */
static void write_checksum(const char *token, char checksum[CHECKSUM_LENGTH])
{
	uint32_t crc = crc32(token, CHECKSUM_AT);

	for (int i = CHECKSUM_LENGTH - 1; i >= 0; i--) {
		checksum[i] = BASE62[crc % 62];
		crc /= 62;
	}
}

/* All characters are equally likely: bytes that would favor some are discarded and drawn again. */
static char random_character(void)
{
	uint8_t byte;

	do
		rt_random(&byte, 1);
	while (byte >= 4 * 62);
	return BASE62[byte % 62];
}

char *eds_token_new(struct rt_ctx *ctx)
{
	char *token = rt_alloc(ctx, EDS_TOKEN_LENGTH + 1);

	memcpy(token, PREFIX, PREFIX_LENGTH);
	for (int i = PREFIX_LENGTH; i < CHECKSUM_AT; i++)
		token[i] = random_character();
	write_checksum(token, token + CHECKSUM_AT);
	return token;
}

bool eds_token_well_formed(const char *token)
{
	char checksum[CHECKSUM_LENGTH];

	if (strlen(token) != EDS_TOKEN_LENGTH || strncmp(token, PREFIX, PREFIX_LENGTH) != 0 ||
		strspn(token + PREFIX_LENGTH, BASE62) != EDS_TOKEN_LENGTH - PREFIX_LENGTH)
		return false;
	write_checksum(token, checksum);
	return memcmp(checksum, token + CHECKSUM_AT, CHECKSUM_LENGTH) == 0;
}

char *eds_token_digest(struct rt_ctx *ctx, const char *token)
{
	char *digest = rt_alloc(ctx, SHA256_DIGEST_STRING_LENGTH);

	_Static_assert(SHA256_DIGEST_STRING_LENGTH == EDS_TOKEN_DIGEST_LENGTH + 1, "hexadecimal");
	SHA256Data((const uint8_t *)token, strlen(token), digest);
	return digest;
}
