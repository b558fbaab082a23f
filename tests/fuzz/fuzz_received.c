#include "functions/lib/mail/received-spf.h"
#include "functions/lib/mail/received.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct eds_received received;
	struct eds_received_spf spf;

	if (!eds_received_parse(&ctx, (const char *)data, size, &received))
		FUZZ_ASSERT(!*received.by && !*received.with);
	FUZZ_ASSERT(strlen(received.helo) <= 1024 && strlen(received.rdns) <= 1024);
	FUZZ_ASSERT(strlen(received.by) <= 1024 && strlen(received.with) <= 1024);
	if (eds_received_spf_parse(&ctx, (const char *)data, size, &spf))
		FUZZ_ASSERT(spf.client_ip.family != 0);
	FUZZ_ASSERT(strlen(spf.helo) <= 1024 && strlen(spf.envelope_from) <= 1024);
	fuzz_end(&ctx);
	return 0;
}
