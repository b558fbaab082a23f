#include "functions/lib/dnsbl/health.h"
#include "runtime/time.h"

enum {
	KEPT_S_MAX = 300,
};

enum address { LISTED, SPARED, ADDRESSES };

static const struct {
	const char *reversed;
	const char *sickness; /* what is wrong with the list if its answer about this address is
			       * wrong, as a sentence part */
} tests[ADDRESSES] = {
	[LISTED] = {"2.0.0.127",
		"the list does not contain its own test address 127.0.0.2, so it seems "
		"dead (RFC 5782 section 5)"},
	[SPARED] = {"1.0.0.127",
		"the list contains 127.0.0.1 too, so it seems to contain every address "
		"(RFC 5782 section 5)"},
};

/* The times until which the good test answers of each list are cached. */
static struct {
	const char *zone;
	int64_t until_ms; /* when the cached answer expires, on the monotonic clock */
} kept[RT_DNSBL_KINDS][ADDRESSES];

static bool is_kept(enum rt_dnsbl_kind kind, enum address address)
{
	return kept[kind][address].zone == rt_config()->dnsbl[kind].zone &&
		rt_monotonic_ms() < kept[kind][address].until_ms;
}

static const char *test_name(struct rt_ctx *ctx, enum rt_dnsbl_kind kind, enum address address)
{
	return rt_printf(ctx, "%s.%s", tests[address].reversed, rt_config()->dnsbl[kind].zone);
}

void eds_dnsbl_health_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind)
{
	for (enum address i = 0; i < ADDRESSES; i++)
		if (!is_kept(kind, i))
			eds_dns_start_own(dns, test_name(ctx, kind, i), EDS_DNS_A);
}

/* True when the answer shows that the list contains the address (is_listed is true), or that the
 * list does not contain it (is_listed is false). False when the lookup failed or answer is NULL. */
static bool says(const struct eds_dns_answer *answer, bool is_listed)
{
	if (answer == NULL)
		return false;
	if (is_listed)
		return answer->state == EDS_DNS_FOUND;
	return answer->state == EDS_DNS_NO_NAME || answer->state == EDS_DNS_NO_DATA;
}

static void keep(enum rt_dnsbl_kind kind, enum address address, const struct eds_dns_answer *answer)
{
	int64_t ttl_s;

	if (!says(answer, address == LISTED))
		return;
	ttl_s = answer->ttl_s < KEPT_S_MAX ? answer->ttl_s : KEPT_S_MAX;
	kept[kind][address].zone = rt_config()->dnsbl[kind].zone;
	kept[kind][address].until_ms = rt_monotonic_ms() + ttl_s * 1000;
}

const char *eds_dnsbl_sickness(
	struct rt_ctx *ctx, struct eds_dns *dns, enum rt_dnsbl_kind kind, bool is_listed)
{
	enum address decisive = is_listed ? SPARED : LISTED;
	const struct eds_dns_answer *answer;

	if (is_kept(kind, decisive))
		return NULL;
	answer = eds_dns_get(dns, test_name(ctx, kind, decisive), EDS_DNS_A);
	for (enum address i = 0; i < ADDRESSES; i++)
		if (!is_kept(kind, i))
			keep(kind, i, eds_dns_peek(dns, test_name(ctx, kind, i), EDS_DNS_A));
	return says(answer, decisive == SPARED) ? tests[decisive].sickness : NULL;
}
