/* TXT records, one per line, as the answer for _mta-sts and for _smtp._tls. */
#include "functions/lib/mta-sts/record.h"
#include "tests/fuzz/fuzz.h"

enum { LINES_MAX = 8 };

static void read_lines(
	struct rt_ctx *ctx, const char *text, size_t size, struct eds_dns_answer *answer)
{
	const char *end = text + size;

	while (text < end && answer->count < LINES_MAX) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((line_end ? line_end : end) - text);

		answer->records[answer->count].txt = rt_memdup(ctx, text, length);
		answer->records[answer->count++].txt_length = length;
		text += length + (line_end ? 1 : 0);
	}
}

static void check(struct rt_ctx *ctx, const struct eds_dns_answer *answer)
{
	struct eds_findings errors = {0};
	const char *id = eds_mta_sts_record_id(ctx, answer, &errors);

	FUZZ_ASSERT((id != NULL) == (errors.count == 0));
	FUZZ_ASSERT(id == NULL ||
		(strlen(id) > 0 && strlen(id) <= EDS_MTA_STS_ID_MAX &&
			strspn(id,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				"0123456789") == strlen(id)));
	FUZZ_ASSERT(eds_tlsrpt_name(eds_tlsrpt_read(answer)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_dns_record records[LINES_MAX] = {0};
	struct eds_dns_answer answer = {.records = records, .reason = "x"};

	read_lines(&ctx, (const char *)data, size, &answer);
	answer.state = answer.count > 0 ? EDS_DNS_FOUND : EDS_DNS_NO_DATA;
	check(&ctx, &answer);
	answer.state = EDS_DNS_TEMPORARY;
	check(&ctx, &answer);
	fuzz_end(&ctx);
	return 0;
}
