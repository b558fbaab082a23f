#include "runtime/aws/credentials-parse.h"
#include "runtime/aws/credentials.h"
#include "tests/fuzz/fuzz.h"

/* The input is read as credentials, and up to its first NUL as the URL of their source. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct aws_credentials credentials;
	const char *url = rt_memdup(&ctx, data, size);
	bool safe = aws_credentials_url_is_safe(url);

	FUZZ_ASSERT(!safe || strncmp(url, "http", 4) == 0);
	if (aws_credentials_parse((const char *)data, size, &credentials)) {
		FUZZ_ASSERT(credentials.id[0] != '\0' && credentials.secret[0] != '\0');
		for (const char *c = credentials.token; *c != '\0'; c++)
			FUZZ_ASSERT(*c > ' ' && *c <= '~');
	} else {
		FUZZ_ASSERT(credentials.id[0] == '\0' && credentials.secret[0] == '\0');
	}
	fuzz_end(&ctx);
	return 0;
}
