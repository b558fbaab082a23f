#include "runtime/host/gateway/request-id.h"

#include <string.h>

#include "runtime/ctx.h"
#include "runtime/text/hex.h"

enum {
	BLOCK_BYTES = 4096,
	RANDOM_BYTES = 10, /* random bytes of one id */
};

static const unsigned char *take_random(void)
{
	static unsigned char block[BLOCK_BYTES];
	static size_t used = BLOCK_BYTES;

	if (used + RANDOM_BYTES > BLOCK_BYTES) {
		rt_random(block, sizeof block);
		used = 0;
	}
	used += RANDOM_BYTES;
	return block + used - RANDOM_BYTES;
}

void request_id_make(char id[REQUEST_ID_MAX], int64_t now_ms)
{
	unsigned char bytes[16];

	for (int i = 0; i < 6; i++)
		bytes[i] = (unsigned char)(now_ms >> (40 - 8 * i));
	memcpy(bytes + 6, take_random(), RANDOM_BYTES);
	bytes[6] = (unsigned char)(0x70 | (bytes[6] & 0x0f));
	bytes[8] = (unsigned char)(0x80 | (bytes[8] & 0x3f));
	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*id++ = '-';
		id = rt_hex_write(id, &bytes[i], 1);
	}
	*id = '\0';
}
