/* TXT records, one per line, as the answer for default._bimi. */
#include "functions/lib/posture/bimi.h"
#include "tests/fuzz/fuzz.h"

enum { LINES_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_dns_record records[LINES_MAX] = {0};
	struct eds_dns_answer answer = {.records = records, .reason = ""};
	const struct eds_dns_record *record;
	const char *text = (const char *)data;
	const char *end = text + size;
	enum eds_bimi state;

	while (text < end && answer.count < LINES_MAX) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((line_end ? line_end : end) - text);

		records[answer.count].txt = rt_memdup(&ctx, text, length);
		records[answer.count++].txt_length = length;
		text += length + (line_end ? 1 : 0);
	}
	answer.state = answer.count > 0 ? EDS_DNS_FOUND : EDS_DNS_NO_DATA;
	state = eds_bimi_read(&answer, &record);
	FUZZ_ASSERT((record == NULL) == (state == EDS_BIMI_NONE));
	if (record != NULL)
		FUZZ_ASSERT(memcmp(record->txt, "v=BIMI1", 7) == 0 || record->txt[0] == ' ' ||
			record->txt[0] == '\t');
	fuzz_end(&ctx);
	return 0;
}
