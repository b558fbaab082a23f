#include <stdatomic.h>
#include <time.h>

#include "runtime/ctx.h"
#include "runtime/uuid.h"

enum {
	FRACTION_BITS = 12, /* bits of a millisecond's fraction, the size of rand_a */
	NS_PER_MS = 1000000,
};

/* The next value for an id: milliseconds since the epoch, and in the lowest bits 4096ths of a
 * millisecond (RFC 9562 section 6.2, method 3). The value is always greater than that of the
 * previous id, even within one 4096th or after the clock was set back. */
static uint64_t next_tick(void)
{
	static _Atomic uint64_t last;
	uint64_t before = atomic_load(&last);
	struct timespec now;
	uint64_t tick;

	clock_gettime(CLOCK_REALTIME, &now);
	tick = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / NS_PER_MS;
	tick = tick << FRACTION_BITS |
		((uint64_t)now.tv_nsec % NS_PER_MS << FRACTION_BITS) / NS_PER_MS;
	do {
		if (tick <= before)
			tick = before + 1;
	} while (!atomic_compare_exchange_weak(&last, &before, tick));
	return tick;
}

char *rt_uuid(struct rt_ctx *ctx)
{
	uint64_t tick = next_tick();
	uint8_t b[16];

	rt_random(b + 8, 8);
	for (int i = 0; i < 6; i++)
		b[i] = (uint8_t)(tick >> (52 - 8 * i));
	b[6] = (uint8_t)(0x70 | (tick >> 8 & 0x0f)); /* version 7 */
	b[7] = (uint8_t)tick;
	b[8] = (uint8_t)(0x80 | (b[8] & 0x3f)); /* variant of RFC 9562 */
	return rt_printf(ctx,
		"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		b[15]);
}
