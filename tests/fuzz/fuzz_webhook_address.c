/* The address of a receiver and its secret, one per line. */
#include "functions/lib/webhook/address.h"
#include "tests/fuzz/fuzz.h"

/* The parts of an accepted address must be safe in a request line, in a Host field and as a DNS
 * name. */
static void require_sound(const struct eds_webhook_address *address)
{
	static const char host_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";

	FUZZ_ASSERT(address->host[strspn(address->host, host_characters)] == '\0');
	FUZZ_ASSERT(strlen(address->host) <= 253 && strchr(address->host, '.') != NULL);
	FUZZ_ASSERT(address->path[0] == '/' && strlen(address->path) <= EDS_WEBHOOK_ADDRESS_MAX);
	for (const char *c = address->path; *c != '\0'; c++)
		FUZZ_ASSERT(*c > ' ' && *c < 0x7f && *c != '#');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	char *secret = rt_memdup(&ctx, data, size);
	char *text = strsep(&secret, "\n");
	struct eds_webhook_address address;
	const char *reason;
	size_t length;

	if (eds_webhook_address_read(&ctx, text, &address, &reason))
		require_sound(&address);
	else
		FUZZ_ASSERT(strncmp(reason, "must ", 5) == 0);
	if (secret != NULL && eds_webhook_secret_read(&ctx, secret, &length) != NULL)
		FUZZ_ASSERT(length >= 24 && length <= 64);
	FUZZ_ASSERT(ctx.failure.category == RT_OK);
	fuzz_end(&ctx);
	return 0;
}
