#include "functions/lib/mx.h"

#include <string.h>

#include "runtime/config/config.h"

static void ask_addresses(struct eds_dns *dns, const char *name)
{
	eds_dns_start(dns, name, EDS_DNS_A);
	eds_dns_start(dns, name, EDS_DNS_AAAA);
}

struct asked {
	struct eds_dns *dns;
	const char *domain;
};

static void ask_addresses_of_exchanges(void *arg, const struct eds_dns_answer *answer)
{
	const struct asked *asked = arg;

	for (size_t i = 0; i < answer->count && i < EDS_MX_EXCHANGES_MAX; i++)
		if (answer->records[i].name[0] != '\0')
			ask_addresses(asked->dns, answer->records[i].name);
	if (answer->state == EDS_DNS_NO_DATA)
		ask_addresses(asked->dns, asked->domain);
}

void eds_mx_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const char *domain)
{
	struct asked *asked;

	if (domain == NULL)
		return;
	asked = rt_alloc(ctx, sizeof *asked);
	asked->dns = dns;
	asked->domain = domain;
	eds_dns_when(dns, domain, EDS_DNS_MX, ask_addresses_of_exchanges, asked);
}

/* Adds the public addresses of an exchange from the answer for A or AAAA. */
static void collect_addresses(struct eds_dns *dns, const char *name, enum eds_dns_type type,
	struct eds_mx_exchange *exchange)
{
	const struct eds_dns_answer *answer = eds_dns_get(dns, name, type);

	exchange->alias |= answer->aliased;
	exchange->exists |= answer->state == EDS_DNS_FOUND;
	exchange->unknown |= answer->state == EDS_DNS_TEMPORARY;
	for (size_t i = 0; i < answer->count; i++)
		if (rt_ip_is_public(&answer->records[i].ip, rt_config()->allow_private) &&
			exchange->address_count < EDS_MX_ADDRESSES_MAX)
			exchange->addresses[exchange->address_count++] = answer->records[i].ip;
}

static bool has_address(struct eds_dns *dns, const char *name)
{
	struct eds_mx_exchange own = {0};

	collect_addresses(dns, name, EDS_DNS_A, &own);
	collect_addresses(dns, name, EDS_DNS_AAAA, &own);
	return own.address_count > 0;
}

static void insert_by_preference(struct eds_mx_result *result, const struct eds_dns_record *record)
{
	size_t at = result->count;

	if (at == EDS_MX_EXCHANGES_MAX && result->exchanges[--at].preference <= record->preference)
		return;
	while (at > 0 && result->exchanges[at - 1].preference > record->preference) {
		result->exchanges[at] = result->exchanges[at - 1];
		at--;
	}
	result->exchanges[at] = (struct eds_mx_exchange){
		.preference = record->preference, .name = record->name};
	if (result->count < EDS_MX_EXCHANGES_MAX)
		result->count++;
}

static void conclude(struct eds_mx_result *result, enum eds_mx_verdict state, const char *reason)
{
	result->state = state;
	result->reason = reason;
}

/* Sets the verdict on the domain from its exchanges. all: every exchange of the domain was
 * examined. */
static void judge_exchanges(struct eds_dns *dns, struct eds_mx_result *result, bool all)
{
	bool reachable = false;
	bool unknown = false;

	for (size_t i = 0; i < result->count; i++) {
		struct eds_mx_exchange *exchange = &result->exchanges[i];

		if (exchange->name[0] == '\0')
			continue;
		collect_addresses(dns, exchange->name, EDS_DNS_A, exchange);
		collect_addresses(dns, exchange->name, EDS_DNS_AAAA, exchange);
		unknown |= exchange->unknown;
		/* An exchange that is an alias does not count, since some senders do not follow it
		 * (RFC 2181 section 10.3). */
		reachable |= exchange->address_count > 0 && !exchange->alias;
		result->alias |= exchange->address_count > 0 && exchange->alias;
	}
	if (reachable)
		conclude(result, EDS_MX_STATE_VALID, "at least one exchange has a public address");
	else if (unknown)
		conclude(result, EDS_MX_STATE_UNKNOWN,
			"the address lookup of an exchange failed temporarily");
	else if (!all)
		conclude(result, EDS_MX_STATE_UNKNOWN,
			"the domain has more exchanges than this service examines");
	else if (result->null_mx)
		conclude(result, EDS_MX_STATE_INVALID,
			"a null MX says that the domain accepts no mail");
	else if (result->alias)
		conclude(result, EDS_MX_STATE_INVALID, "the exchange is an alias (CNAME)");
	else
		conclude(result, EDS_MX_STATE_INVALID, "no exchange has a public address");
}

void eds_mx_check(
	struct rt_ctx *ctx, struct eds_dns *dns, const char *domain, struct eds_mx_result *result)
{
	const struct eds_dns_answer *answer;

	(void)ctx;
	memset(result, 0, sizeof *result);
	result->domain = domain;
	if (domain == NULL) {
		conclude(result, EDS_MX_STATE_UNKNOWN, "the message names no sender domain");
		return;
	}
	answer = eds_dns_get(dns, domain, EDS_DNS_MX);
	if (answer->state == EDS_DNS_TEMPORARY) {
		conclude(result, EDS_MX_STATE_UNKNOWN, "the MX lookup failed temporarily");
	} else if (answer->state != EDS_DNS_FOUND) {
		result->no_domain = answer->state == EDS_DNS_NO_NAME || strchr(domain, '.') == NULL;
		result->implicit = answer->state == EDS_DNS_NO_DATA && has_address(dns, domain);
		conclude(result, EDS_MX_STATE_NONE, "the domain has no MX record");
	} else {
		for (size_t i = 0; i < answer->count; i++)
			insert_by_preference(result, &answer->records[i]);
		result->null_mx = answer->count == 1 && answer->records[0].name[0] == '\0';
		judge_exchanges(dns, result, answer->count <= EDS_MX_EXCHANGES_MAX);
	}
}

const char *eds_mx_state_name(enum eds_mx_verdict state)
{
	static const char *const names[] = {"valid", "none", "invalid", "unknown"};

	return names[state];
}
