/* A mail: the scan that precedes GMime, and the parts that GMime finds. */
#include "functions/lib/reports/mime.h"
#include "tests/fuzz/fuzz_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_intake intake = {.report = check_report, .arg = &ctx};

	eds_mime_init();
	eds_mime_read(&intake, (const char *)data, size, 0);
	fuzz_end(&ctx);
	return 0;
}
