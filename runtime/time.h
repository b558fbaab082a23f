/* Clocks, and times as RFC 3339 text in UTC. */
#ifndef RT_TIME_H
#define RT_TIME_H

#include "runtime/ctx.h"

/* Microseconds of the monotonic clock. */
int64_t rt_monotonic_us(void);

/* Milliseconds of the monotonic clock, of the wall clock (Unix epoch), and until the deadline (0
 * when it has passed). */
int64_t rt_monotonic_ms(void);
int64_t rt_wall_ms(void);
int rt_remaining_ms(const struct rt_ctx *ctx);

/* Formats epoch milliseconds as "2026-01-31T23:59:59Z" (RFC 3339, UTC, whole seconds). A time
 * outside the years 0 to 9999 becomes the nearest time within them. */
char *rt_time_format(struct rt_ctx *ctx, int64_t wall_ms);

/* Parses RFC 3339 with Z or an offset, fractions allowed; false when the text is not a time. */
bool rt_time_parse(const char *text, int64_t *wall_ms);

#endif
