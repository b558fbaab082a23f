#include "functions/reports/sources/source-name.h"

#include <string.h>

#include "functions/lib/dns/dns.h"

enum {
	ASKED_MAX = 50, /* addresses of one request: 200 questions is what an event may ask */
	NAMES_MAX = 3,  /* of one address that are looked at */
	WAIT_MS = 1000,
	MINUTE_MS = 60 * 1000,
	DAY_MS = 24 * 60 * MINUTE_MS,
	NAMED_MS = 7 * DAY_MS,
	TEMPORARY_MS = 10 * MINUTE_MS,
};

struct naming {
	struct eds_dns *dns;
	enum eds_dns_type type; /* of the address */
};

static void ask_addresses(void *arg, const struct eds_dns_answer *answer)
{
	const struct naming *naming = arg;

	for (size_t i = 0; i < answer->count && i < NAMES_MAX; i++)
		eds_dns_start(naming->dns, answer->records[i].name, naming->type);
}

static void start(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip)
{
	struct naming *naming = rt_alloc(ctx, sizeof *naming);

	*naming = (struct naming){dns, ip->family == AF_INET6 ? EDS_DNS_AAAA : EDS_DNS_A};
	eds_dns_when(dns, eds_dns_ptr_name(ctx, ip), EDS_DNS_PTR, ask_addresses, naming);
}

static bool has_address(const struct eds_dns_answer *answer, const struct rt_ip *ip)
{
	for (size_t i = 0; answer != NULL && i < answer->count; i++)
		if (rt_ip_equal(&answer->records[i].ip, ip))
			return true;
	return false;
}

/* The first that resolves back; a name alone is what whoever holds the address likes to write. */
static const char *confirmed_name(struct eds_dns *dns, const struct eds_dns_answer *names,
	const struct rt_ip *ip, bool *is_open)
{
	enum eds_dns_type type = ip->family == AF_INET6 ? EDS_DNS_AAAA : EDS_DNS_A;

	for (size_t i = 0; i < names->count && i < NAMES_MAX; i++) {
		const struct eds_dns_answer *answer = eds_dns_peek(
			dns, names->records[i].name, type);

		if (has_address(answer, ip))
			return names->records[i].name;
		*is_open |= answer == NULL || answer->state == EDS_DNS_TEMPORARY;
	}
	return "";
}

static void judge(struct rt_ctx *ctx, struct eds_dns *dns, struct eds_report_source *source,
	const struct rt_ip *ip)
{
	const struct eds_dns_answer *names = eds_dns_peek(
		dns, eds_dns_ptr_name(ctx, ip), EDS_DNS_PTR);
	bool is_open = names == NULL || names->state == EDS_DNS_TEMPORARY;
	const char *name = is_open ? "" : confirmed_name(dns, names, ip, &is_open);
	int64_t wait_ms = *name != '\0' ? NAMED_MS : is_open ? TEMPORARY_MS : DAY_MS;

	/* a name that was there before is better than none that can be had now */
	if (!is_open || *name != '\0' || source->name == NULL)
		source->name = rt_strdup(ctx, name);
	source->ask_at_ms = rt_wall_ms() + wait_ms;
}

rt_status report_sources_name(struct rt_ctx *ctx, struct eds_report_source *sources, size_t count,
	struct eds_report_source **asked, size_t *asked_count)
{
	struct rt_ip ips[ASKED_MAX];
	size_t places[ASKED_MAX];
	struct eds_dns *dns;
	int64_t now_ms = rt_wall_ms();

	*asked = rt_alloc_array(ctx, ASKED_MAX, sizeof **asked);
	*asked_count = 0;
	for (size_t i = 0; i < count && *asked_count < ASKED_MAX; i++)
		if (sources[i].ask_at_ms <= now_ms &&
			rt_ip_parse(sources[i].sum.key, &ips[*asked_count]))
			places[(*asked_count)++] = i;
	if (*asked_count == 0)
		return RT_OK;
	RT_TRY(eds_dns_open(ctx, &dns));
	for (size_t i = 0; i < *asked_count; i++)
		start(ctx, dns, &ips[i]);
	eds_dns_settle(dns, WAIT_MS);
	for (size_t i = 0; i < *asked_count; i++) {
		judge(ctx, dns, &sources[places[i]], &ips[i]);
		(*asked)[i] = sources[places[i]];
	}
	return RT_OK;
}
