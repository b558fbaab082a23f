/* The header fields of one-click unsubscription, in a message whose signatures are valid. */
#include "functions/tester/requirements/unsubscribe.h"
#include "tests/fuzz/fuzz.h"

enum { SIGNATURES = 3 };

static struct unsubscribe_result check_from(struct rt_ctx *ctx, const struct eds_header *header,
	enum eds_dkim_state state, const char *org_domain, const char *from)
{
	const struct eds_dmarc_result dmarc = {
		.has_record = org_domain != NULL, .org_domain = org_domain};
	struct eds_dkim_result *dkim = rt_alloc(ctx, sizeof *dkim);
	struct unsubscribe_result result;

	*dkim = (struct eds_dkim_result){.failure = "", .count = SIGNATURES, .total = SIGNATURES};
	for (size_t i = 0; i < SIGNATURES; i++)
		dkim->signatures[i] = (struct eds_dkim_signature){
			.state = state, .domain = i == 0 ? "mailer.test" : "example.com"};
	unsubscribe_check(ctx, header, dkim, &dmarc, from, &result);
	return result;
}

static struct unsubscribe_result check(
	struct rt_ctx *ctx, const struct eds_header *header, enum eds_dkim_state state)
{
	return check_from(ctx, header, state, "example.com", "news.example.com");
}

/* The state of the whole demand must follow from the states of its parts: met if all are met,
 * missed if one is missed. */
static void require_sum(
	const struct unsubscribe_result *result, size_t parts, const struct demand *sum)
{
	bool all = true;
	bool any_missed = false;

	for (size_t i = 0; i < parts; i++) {
		all &= result->parts[i].state == DEMAND_MET;
		any_missed |= result->parts[i].state == DEMAND_MISSED;
	}
	FUZZ_ASSERT((sum->state == DEMAND_MET) == all);
	FUZZ_ASSERT((sum->state == DEMAND_MISSED) == any_missed);
}

/* If a way to unsubscribe was found, there is an address; and no part is "missed" in a header that
 * was not read to its end. */
static void require_consistent(
	const struct unsubscribe_result *result, const struct eds_header *header)
{
	require_sum(result, UNSUBSCRIBE_ALIGNED, &result->whole);
	require_sum(result, UNSUBSCRIBE_PARTS, &result->button);
	for (size_t i = 0; i < UNSUBSCRIBE_PARTS; i++) {
		FUZZ_ASSERT(result->parts[i].evidence != NULL);
		FUZZ_ASSERT(result->parts[i].evidence[0] != '\0');
		FUZZ_ASSERT(header->limit[0] == '\0' || result->parts[i].state != DEMAND_MISSED);
	}
	FUZZ_ASSERT(result->uri_count <= UNSUBSCRIBE_URIS_MAX);
	FUZZ_ASSERT(!result->has_way || result->uri_count > 0);
	FUZZ_ASSERT(result->parts[UNSUBSCRIBE_HTTPS].state != DEMAND_MET || result->has_way);
	for (size_t i = 0; i < result->uri_count; i++)
		FUZZ_ASSERT(strpbrk(result->uris[i], "\r\n>") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_ctx ctx = fuzz_begin();
	struct unsubscribe_result result;
	struct eds_header header;

	eds_header_read(&ctx, (const char *)data, size, &header);
	result = check(&ctx, &header, EDS_DKIM_VALID);
	require_consistent(&result, &header);
	result = check(&ctx, &header, EDS_DKIM_INVALID);
	require_consistent(&result, &header);
	FUZZ_ASSERT(result.whole.state != DEMAND_MET);
	result = check(&ctx, &header, EDS_DKIM_TEMPORARY);
	require_consistent(&result, &header);
	result = check(&ctx, &header, EDS_DKIM_TESTING);
	FUZZ_ASSERT(result.whole.state != DEMAND_MET);
	/* if the From domain or the organizational domain is unknown, only an identical name is
	 * aligned */
	result = check_from(&ctx, &header, EDS_DKIM_VALID, "example.com", NULL);
	FUZZ_ASSERT(result.parts[UNSUBSCRIBE_ALIGNED].state != DEMAND_MET);
	result = check_from(&ctx, &header, EDS_DKIM_VALID, "", "news.example.com");
	FUZZ_ASSERT(result.parts[UNSUBSCRIBE_ALIGNED].state != DEMAND_MET);
	result = check_from(&ctx, &header, EDS_DKIM_VALID, NULL, "mailer.test");
	require_consistent(&result, &header);
	fuzz_end(&ctx);
	return 0;
}
