/* Gzip, zip, tar and their contents, and the detection of the format of a mail or of an uploaded
 * file. */
#include "functions/lib/reports/mime.h"
#include "tests/fuzz/fuzz_report.h"

/* the second reading of a file skips this many reports, as a later round of an upload does */
enum { SKIPPED = 2 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_intake mail = {.report = check_report, .arg = &ctx};
	struct eds_intake file = {
		.report = check_report, .arg = &ctx, .of_file = true, .skip = SKIPPED};

	eds_mime_init();
	eds_intake_mail(&mail, (const char *)data, size);
	FUZZ_ASSERT(mail.count > 0 && mail.count <= EDS_REPORTS_MAX);
	eds_intake_mail(&file, (const char *)data, size);
	FUZZ_ASSERT(file.count > 0 && file.count <= SKIPPED + EDS_REPORTS_MAX);
	fuzz_end(&ctx);
	return 0;
}
