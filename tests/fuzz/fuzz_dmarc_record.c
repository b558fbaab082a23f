#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/record-edit.h"
#include "functions/lib/dmarc/record.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_dmarc_record record;

	if (eds_dmarc_record_parse(&ctx, (const char *)data, size, &record))
		FUZZ_ASSERT(size >= strlen("v=DMARC1") && size <= EDS_DMARC_RECORD_MAX);
	if (size <= EDS_DMARC_RECORD_MAX) {
		char *text = rt_memdup(&ctx, data, size);
		const char *changed = eds_dmarc_record_with(&ctx, text, "aspf", "r");

		FUZZ_ASSERT(changed == NULL || strlen(changed) <= strlen(text) + 1);
	}
	FUZZ_ASSERT(record.has_sp || record.sp == record.p);
	FUZZ_ASSERT(record.has_np || record.np == record.sp);
	FUZZ_ASSERT(record.warnings.count <= EDS_FINDINGS_MAX);
	for (size_t i = 0; i < record.warnings.count; i++)
		for (const char *c = record.warnings.items[i].message; *c; c++)
			FUZZ_ASSERT(*c >= ' ' && *c <= '~');
	fuzz_end(&ctx);
	return 0;
}
