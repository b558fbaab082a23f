/* The data of a TLSA record in wire format. */
#include "functions/lib/posture/tlsa.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_dns_record record = {.txt = rt_memdup(&ctx, data, size), .txt_length = size};
	struct eds_tlsa tlsa;

	eds_tlsa_read(&ctx, &record, &tlsa);
	FUZZ_ASSERT((tlsa.verdict == EDS_TLSA_GARBLED) == (size < 3));
	FUZZ_ASSERT((tlsa.text[0] == '\0') == (size < 3));
	FUZZ_ASSERT(strlen(tlsa.text) < 200);
	FUZZ_ASSERT((eds_tlsa_fault(tlsa.verdict)[0] == '\0') == (tlsa.verdict == EDS_TLSA_USABLE));
	if (tlsa.verdict == EDS_TLSA_USABLE)
		FUZZ_ASSERT(data[0] == 2 || data[0] == 3);
	fuzz_end(&ctx);
	return 0;
}
