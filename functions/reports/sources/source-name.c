#include "functions/reports/sources/source-name.h"
#include "functions/lib/dns/name.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/lib/dnsbl/dnsbl.h"
#include "functions/reports/sources/source-network.h"

enum {
	ASKED_MAX = 50, /* maximum number of addresses looked up in one event */
	/* Part of the 200 questions that an event may ask. The rest is for addresses with several
	 * names. */
	QUESTIONS_MAX = 180,
	NAME_QUESTIONS = 2,
	NETWORK_QUESTIONS = 2,
	NAMES_MAX = 3, /* maximum number of names checked for one address */
	WAIT_MS = 1000,
	MINUTE_MS = 60 * 1000,
	DAY_MS = 24 * 60 * MINUTE_MS,
	NAMED_MS = 7 * DAY_MS,
	TEMPORARY_MS = 10 * MINUTE_MS,
};

struct naming {
	struct eds_dns *dns;
	enum eds_dns_type type; /* EDS_DNS_A or EDS_DNS_AAAA, the type of the address */
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

/* The first of the names that resolves back to the address; "" if none does. Other names prove
 * nothing, since the holder of an address can write any name into its PTR record. */
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

static void leave_unnamed(struct rt_ctx *ctx, struct eds_report_source *source)
{
	source->name = rt_strdup(ctx, "");
	source->ask_at_ms = rt_wall_ms() + NAMED_MS;
}

static void judge(struct rt_ctx *ctx, struct eds_dns *dns, struct eds_report_source *source,
	const struct rt_ip *ip)
{
	const struct eds_dns_answer *names = eds_dns_peek(
		dns, eds_dns_ptr_name(ctx, ip), EDS_DNS_PTR);
	bool is_open = names == NULL || names->state == EDS_DNS_TEMPORARY;
	const char *name = is_open ? "" : confirmed_name(dns, names, ip, &is_open);
	int64_t wait_ms = *name != '\0' ? NAMED_MS : is_open ? TEMPORARY_MS : DAY_MS;

	/* Keeps the previous name when DNS gives no answer now. */
	if (!is_open || *name != '\0' || source->name == NULL)
		source->name = rt_strdup(ctx, name);
	source->ask_at_ms = rt_wall_ms() + wait_ms;
}

/* One letter for each blocklist. The letter says that the address is clean or listed, that the
 * result is unknown (for example without an answer in time), or that no list is configured. */
static const char *read_lists(struct rt_ctx *ctx, struct eds_dns *dns, const struct rt_ip *ip)
{
	static const char letters[] = {
		[EDS_DNSBL_CLEAN] = EDS_SOURCE_CLEAN,
		[EDS_DNSBL_LISTED] = EDS_SOURCE_LISTED,
		[EDS_DNSBL_UNKNOWN] = EDS_SOURCE_UNKNOWN,
	};
	struct eds_dnsbl_result results[RT_DNSBL_KINDS];
	char *lists = rt_alloc(ctx, RT_DNSBL_KINDS + 1);

	eds_dnsbl_check(ctx, dns, ip, results);
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		lists[i] = *rt_config()->dnsbl[i].zone != '\0' ? letters[results[i].state]
							       : EDS_SOURCE_NOT_ASKED;
	return lists;
}

/* The lookups to make for one address. */
struct asked {
	size_t place;
	struct rt_ip ip;
	/* The address is public. DNS is asked for the name and the blocklists of public addresses
	 * only: a report can name any address, and the names in the operator's private network must
	 * not become known. A receiver on the Internet gets no mail from private addresses anyway.
	 */
	bool is_public;
	bool name;  /* the name of the address is looked up */
	bool facts; /* network and blocklists of the address are looked up */
};

static void judge_facts(struct rt_ctx *ctx, struct eds_dns *dns, struct eds_report_source *source,
	const struct asked *asked)
{
	const struct rt_ip *ip = &asked->ip;
	bool is_open = eds_dns_in_flight(dns) > 0;

	report_network_read(ctx, dns, ip, source, &is_open);
	source->lists = asked->is_public ? read_lists(ctx, dns, ip) : "";
	source->facts_at_ms = rt_wall_ms() + (is_open ? TEMPORARY_MS : DAY_MS);
}

static int list_questions(void)
{
	int count = 0;

	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		count += *rt_config()->dnsbl[i].zone != '\0';
	return count;
}

/* Chooses the first sources that are due, as many as the limits allow. */
static size_t choose(const struct eds_report_source *sources, size_t count, bool with_facts,
	struct asked chosen[ASKED_MAX])
{
	int list_count = list_questions();
	int facts_cost = list_count + (*rt_config()->asn_zone != '\0' ? NETWORK_QUESTIONS : 0);
	/* Two questions for each list test whether the list works. */
	int left = QUESTIONS_MAX - 2 * list_count;
	int64_t now_ms = rt_wall_ms();
	size_t number = 0;

	for (size_t i = 0; i < count && number < ASKED_MAX; i++) {
		struct asked asked = {.place = i, .name = sources[i].ask_at_ms <= now_ms};

		asked.facts = with_facts && facts_cost > 0 && sources[i].facts_at_ms <= now_ms;
		if ((!asked.name && !asked.facts) || !rt_ip_parse(sources[i].sum.key, &asked.ip))
			continue;
		asked.is_public = rt_ip_is_public(&asked.ip, rt_config()->allow_private);
		left -= asked.name ? NAME_QUESTIONS : 0;
		left -= asked.facts ? facts_cost : 0;
		if (left < 0)
			break;
		chosen[number++] = asked;
	}
	return number;
}

static void start_all(
	struct rt_ctx *ctx, struct eds_dns *dns, const struct asked *chosen, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (chosen[i].name && chosen[i].is_public)
			start(ctx, dns, &chosen[i].ip);
		if (!chosen[i].facts)
			continue;
		report_network_start(ctx, dns, &chosen[i].ip);
		if (chosen[i].is_public)
			eds_dnsbl_prefetch(ctx, dns, &chosen[i].ip);
	}
}

rt_status report_sources_name(struct rt_ctx *ctx, struct eds_report_source *sources, size_t count,
	bool with_facts, struct eds_report_source **asked, size_t *asked_count)
{
	struct asked chosen[ASKED_MAX];
	struct eds_dns *dns;

	*asked = rt_alloc_array(ctx, ASKED_MAX, sizeof **asked);
	*asked_count = choose(sources, count, with_facts, chosen);
	if (*asked_count == 0)
		return RT_OK;
	RT_TRY(eds_dns_open(ctx, &dns));
	start_all(ctx, dns, chosen, *asked_count);
	eds_dns_settle(dns, WAIT_MS);
	eds_dns_never_wait(dns);
	for (size_t i = 0; i < *asked_count; i++) {
		struct eds_report_source *source = &sources[chosen[i].place];

		if (chosen[i].name && chosen[i].is_public)
			judge(ctx, dns, source, &chosen[i].ip);
		else if (chosen[i].name)
			leave_unnamed(ctx, source);
		if (chosen[i].facts)
			judge_facts(ctx, dns, source, &chosen[i]);
		(*asked)[i] = *source;
	}
	return RT_OK;
}
