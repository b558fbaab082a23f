/* Answers of a DNSSEC validator that was taken over. */
#include "tests/fuzz/fuzz.h"

#include "functions/lib/dnssec/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eds_validator_answer answer;

	if (eds_validator_answer_read((const char *)data, size, &answer)) {
		FUZZ_ASSERT(
			answer.state > EDS_DNSSEC_PENDING && answer.state <= EDS_DNSSEC_UNKNOWN);
		FUZZ_ASSERT(strlen(answer.why) <= EDS_DNSSEC_WHY_MAX);
	}
	return 0;
}
