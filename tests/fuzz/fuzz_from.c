#include "functions/lib/mail/domain.h"
#include "functions/lib/mail/from.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_from from;

	eds_from_parse(&ctx, (const char *)data, size, &from);
	FUZZ_ASSERT((from.state == EDS_FROM_ONE) == (*from.reason == '\0'));
	FUZZ_ASSERT(from.state != EDS_FROM_ONE || from.count == 1);
	FUZZ_ASSERT(from.state != EDS_FROM_NONE || from.count == 0);
	for (size_t i = 0; i < from.count; i++) {
		const char *domain = from.domains[i];
		const char *again = eds_domain_normalize(&ctx, domain, strlen(domain));

		FUZZ_ASSERT(again && strcmp(domain, again) == 0);
	}
	fuzz_end(&ctx);
	return 0;
}
