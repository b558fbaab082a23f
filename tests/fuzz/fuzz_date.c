#include "functions/lib/mail/date.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	int64_t wall_ms;

	/* The years 1900 to 9999, and a day and four hours more on both sides for the zone
	 * (+9959). */
	if (eds_date_parse(rt_memdup(&ctx, data, size), &wall_ms))
		FUZZ_ASSERT(wall_ms > -2209400000000 && wall_ms < 253402700000000 &&
			wall_ms % 1000 == 0);
	fuzz_end(&ctx);
	return 0;
}
