/* Gzip, zip, tar and their contents, and the detection of the format of a mail. */
#include "functions/lib/reports/mime.h"
#include "tests/fuzz/fuzz_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_intake intake = {.report = check_report, .arg = &ctx};

	eds_mime_init();
	eds_intake_mail(&intake, (const char *)data, size);
	FUZZ_ASSERT(intake.count > 0);
	fuzz_end(&ctx);
	return 0;
}
