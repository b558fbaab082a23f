#include "functions/lib/random-text.h"

char *eds_random_base32(struct rt_ctx *ctx, size_t bytes)
{
	uint8_t random[EDS_RANDOM_BYTES_MAX + 1] = {0};
	size_t length = (bytes * 8 + 4) / 5;
	char *text = rt_alloc(ctx, length + 1);

	rt_random(random, bytes);
	for (size_t i = 0; i < length; i++) {
		size_t bit = i * 5;
		unsigned pair = (unsigned)random[bit / 8] << 8 | random[bit / 8 + 1];

		text[i] = "abcdefghijklmnopqrstuvwxyz234567"[pair >> (11 - bit % 8) & 31];
	}
	return text;
}
