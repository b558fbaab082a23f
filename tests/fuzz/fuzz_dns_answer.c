/* An untrusted DNS reply. The first octet chooses the type of the question for a.test, the rest is
 * the reply. */
#include <stdlib.h>
#include <string.h>

#include "functions/lib/dns/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct eds_dns_answer *answer)
{
	if (answer->count > EDS_DNS_RECORDS_MAX ||
		(answer->count > 0) != (answer->state == EDS_DNS_FOUND) ||
		(answer->reason[0] != '\0') != (answer->state == EDS_DNS_TEMPORARY) ||
		strlen(answer->canonical) > EDS_DNS_NAME_MAX)
		abort();
	for (size_t i = 0; i < answer->count; i++) {
		const struct eds_dns_record *record = &answer->records[i];

		if (record->txt != NULL
				? record->txt[record->txt_length] != '\0'
				: record->name != NULL && strlen(record->name) > EDS_DNS_NAME_MAX)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum eds_dns_type types[] = {EDS_DNS_A, EDS_DNS_NS, EDS_DNS_CNAME, EDS_DNS_PTR,
		EDS_DNS_MX, EDS_DNS_TXT, EDS_DNS_AAAA, EDS_DNS_TLSA, EDS_DNS_CAA};
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_dns_answer answer;

	if (size > 0) {
		eds_dns_answer_read(&ctx, data + 1, size - 1, "a.test",
			types[data[0] % (sizeof types / sizeof types[0])], &answer);
		check(&answer);
	}
	rt_arena_free(ctx.arena);
	return 0;
}
