#include "functions/lib/mta-sts/policy-id.h"

#include <string.h>

#include "functions/lib/random-text.h"
#include "runtime/time.h"

enum {
	RANDOM_BYTES = 10, /* random bytes, written as 16 characters after the 14 digits of the
			    * time */
};

/* The digits of the time, as in the examples of RFC 8461, then random characters. The random
 * characters keep ids unique when there are two changes within a second, or when the clock is set
 * back. */
char *eds_policy_id_new(struct rt_ctx *ctx, int64_t now_ms)
{
	const char *time = rt_time_format(ctx, now_ms);
	char *digits = rt_alloc(ctx, strlen(time) + 1);
	size_t count = 0;

	for (; *time != '\0'; time++)
		if (*time >= '0' && *time <= '9')
			digits[count++] = *time;
	return rt_printf(ctx, "%s%s", digits, eds_random_base32(ctx, RANDOM_BYTES));
}
