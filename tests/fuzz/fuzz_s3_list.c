#include "runtime/s3/list.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct s3_page page;
	struct rt_ctx ctx = fuzz_begin();

	if (s3_list_parse(&ctx, (const char *)data, size, &page)) {
		FUZZ_ASSERT(page.count <= S3_LIST_KEYS_MAX);
		FUZZ_ASSERT(
			page.next == NULL || (page.next[0] != '\0' && strlen(page.next) < size));
		for (size_t i = 0; i < page.count; i++)
			FUZZ_ASSERT(strlen(page.objects[i].key) <= S3_LIST_KEY_BYTES_MAX);
	}
	fuzz_end(&ctx);
	return 0;
}
