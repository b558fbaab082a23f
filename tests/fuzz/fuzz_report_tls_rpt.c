/* The JSON of a TLS report. */
#include "functions/lib/reports/tls-rpt.h"
#include "tests/fuzz/fuzz_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_intake intake = {.report = check_report, .arg = &ctx};
	struct eds_memory_source memory;

	eds_memory_source_init(&memory, (const char *)data, size);
	eds_tls_rpt_read(&intake, &memory.source, "");
	fuzz_end(&ctx);
	return 0;
}
