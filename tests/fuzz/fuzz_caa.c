/* The data of a CAA record in wire format. */
#include "functions/lib/posture/caa.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct eds_caa *caa)
{
	FUZZ_ASSERT(caa->flags <= 255);
	FUZZ_ASSERT(strlen(caa->tag) > 0 && strlen(caa->tag) <= 255);
	FUZZ_ASSERT(strspn(caa->tag, "abcdefghijklmnopqrstuvwxyz0123456789") == strlen(caa->tag));
	FUZZ_ASSERT(strlen(caa->value) <= EDS_CAA_SHOWN_MAX);
	for (const char *c = caa->value; *c != '\0'; c++)
		FUZZ_ASSERT(*c >= ' ' && *c <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_dns_record records[] = {
		{.txt = rt_memdup(&ctx, data, size), .txt_length = size},
		{.txt = "\0\5issueca.example", .txt_length = 17},
	};
	struct eds_dns_answer answer = {
		.state = EDS_DNS_FOUND, .reason = "", .records = records, .count = 2};
	struct eds_caa caa;
	bool read = eds_caa_read(&ctx, &records[0], &caa);

	if (read) {
		check(&caa);
		FUZZ_ASSERT(eds_caa_text(&ctx, &caa)[0] != '\0');
	}
	FUZZ_ASSERT((eds_caa_judge(&ctx, &answer, "ca.example") == EDS_CAA_GARBLED) == !read);
	answer.count = 1;
	FUZZ_ASSERT((eds_caa_judge(&ctx, &answer, "ca.example") == EDS_CAA_GARBLED) == !read);
	fuzz_end(&ctx);
	return 0;
}
