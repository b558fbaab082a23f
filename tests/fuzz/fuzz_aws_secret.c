#include "runtime/aws/secret-parse.h"
#include "runtime/aws/secret.h"

#include "functions/lib/store/db/database-secret.h"
#include "functions/lib/store/db/database-url.h"
#include "tests/fuzz/fuzz.h"

/* The input up to its first NUL is the ARN of a secret; the rest is the answer of Secrets Manager
 * and, as the text of the secret, the source of the database's address. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const which[] = {"", "#url", "?host=db&dbname=eds"};
	struct rt_ctx ctx = fuzz_begin();
	const char *name = rt_memdup(&ctx, data, size);
	size_t name_length = strlen(name);
	const char *answer = name_length < size ? name + name_length + 1 : name + size;
	size_t length = (size_t)(name + size - answer);
	char type[AWS_SECRET_ERROR_MAX + 1];
	const char *text;
	const char *url;

	if (aws_secret_arn_is_valid(name, name_length))
		FUZZ_ASSERT(strlen(aws_secret_region(&ctx, name)) <= AWS_REGION_MAX);
	aws_secret_error(answer, length, type);
	text = aws_secret_text(&ctx, answer, length);
	if (text == NULL)
		text = answer;
	for (size_t i = 0; i < sizeof which / sizeof which[0]; i++) {
		rt_fail_clear(&ctx);
		if (eds_database_secret_url(&ctx, text, which[i], &url) == RT_OK) {
			FUZZ_ASSERT(eds_database_is_address(url));
			FUZZ_ASSERT(strlen(url) <= EDS_DATABASE_URL_MAX);
		}
	}
	fuzz_end(&ctx);
	return 0;
}
