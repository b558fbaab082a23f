#include "functions/lib/mail/date.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	int64_t wall_ms;

	/* A date is in the years 1900 to 9999; its zone, at most +9959, can move the time by four
	 * days and four hours. */
	if (eds_date_parse(rt_memdup(&ctx, data, size), &wall_ms))
		FUZZ_ASSERT(wall_ms > -2209400000000 && wall_ms < 253402700000000 &&
			wall_ms % 1000 == 0);
	fuzz_end(&ctx);
	return 0;
}
