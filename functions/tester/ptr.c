#include "functions/tester/ptr.h"
#include "functions/lib/dns/name.h"

#include <string.h>
#include <strings.h>

/* Whether the client's address is among the addresses of a name. */
enum match { MATCH_YES, MATCH_NO, MATCH_NO_ADDRESS, MATCH_UNKNOWN };

struct forward {
	struct eds_dns *dns;
	enum eds_dns_type type;
};

static enum eds_dns_type address_type(const struct rt_ip *ip)
{
	return ip->family == AF_INET6 ? EDS_DNS_AAAA : EDS_DNS_A;
}

static bool can_ask_helo(const struct eds_client *client)
{
	return !client->helo_literal && client->helo[0] != '\0';
}

static size_t name_count(const struct eds_dns_answer *answer)
{
	return answer->count < PTR_NAMES_MAX ? answer->count : PTR_NAMES_MAX;
}

static void ask_addresses_of_names(void *arg, const struct eds_dns_answer *answer)
{
	const struct forward *forward = arg;

	for (size_t i = 0; i < name_count(answer); i++)
		eds_dns_start(forward->dns, answer->records[i].name, forward->type);
}

void ptr_prefetch(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_client *client)
{
	struct forward *forward;

	if (!client->is_public)
		return;
	forward = rt_alloc(ctx, sizeof *forward);
	forward->dns = dns;
	forward->type = address_type(&client->ip);
	eds_dns_when(dns, eds_dns_ptr_name(ctx, &client->ip), EDS_DNS_PTR, ask_addresses_of_names,
		forward);
	if (can_ask_helo(client)) {
		eds_dns_start(dns, client->helo, EDS_DNS_A);
		eds_dns_start(dns, client->helo, EDS_DNS_AAAA);
	}
}

static enum match match_address(struct eds_dns *dns, const char *name, const struct rt_ip *ip)
{
	const struct eds_dns_answer *answer = eds_dns_get(dns, name, address_type(ip));

	if (answer->state == EDS_DNS_TEMPORARY)
		return MATCH_UNKNOWN;
	for (size_t i = 0; i < answer->count; i++)
		if (rt_ip_equal(&answer->records[i].ip, ip))
			return MATCH_YES;
	return answer->state == EDS_DNS_FOUND ? MATCH_NO : MATCH_NO_ADDRESS;
}

/* The state of a HELO name that has no address of the client's family. Such a name may have an
 * address of the other family. */
static enum helo_state check_other_family(struct eds_dns *dns, const struct eds_client *client)
{
	enum eds_dns_type other = client->ip.family == AF_INET6 ? EDS_DNS_A : EDS_DNS_AAAA;
	const struct eds_dns_answer *answer = eds_dns_get(dns, client->helo, other);

	if (answer->state == EDS_DNS_TEMPORARY)
		return HELO_UNKNOWN;
	return answer->state == EDS_DNS_FOUND ? HELO_ELSEWHERE : HELO_UNRESOLVED;
}

static enum helo_state check_helo(struct eds_dns *dns, const struct eds_client *client)
{
	if (client->helo_literal)
		return rt_ip_equal(&client->helo_ip, &client->ip) ? HELO_LITERAL : HELO_ELSEWHERE;
	if (client->helo[0] == '\0')
		return HELO_UNKNOWN;
	switch (match_address(dns, client->helo, &client->ip)) {
	case MATCH_YES:
		return HELO_CONFIRMED;
	case MATCH_NO:
		return HELO_ELSEWHERE;
	case MATCH_NO_ADDRESS:
		return check_other_family(dns, client);
	case MATCH_UNKNOWN:
		break;
	}
	return HELO_UNKNOWN;
}

static size_t length_without_final_dot(const char *name)
{
	size_t length = strlen(name);

	return length > 0 && name[length - 1] == '.' ? length - 1 : length;
}

static bool same_name(const char *a, const char *b)
{
	size_t length = length_without_final_dot(a);

	return length == length_without_final_dot(b) && strncasecmp(a, b, length) == 0;
}

/* The parent of a name: "example.com" for "mail.example.com"; NULL for a name of one label. */
static const char *parent_of(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot != NULL && dot[1] != '\0' ? dot + 1 : NULL;
}

/* True if parent equals this name and has two labels or more: example.com, the parent of
 * mail1.example.com and mail2.example.com, counts; com, the parent of a.com and b.com, does not. */
static bool is_parent(const char *parent, const char *name)
{
	return parent != NULL && name != NULL && parent_of(parent) != NULL &&
		same_name(parent, name);
}

static bool are_related(const char *a, const char *b)
{
	return is_parent(a, parent_of(b)) || is_parent(b, parent_of(a)) ||
		is_parent(parent_of(a), parent_of(b));
}

/* True if the reverse name fits HELO. A HELO name without an address proves nothing, however much
 * it resembles the reverse name. */
static bool fits_helo(const char *name, const struct eds_client *client, enum helo_state helo)
{
	if (helo == HELO_LITERAL || helo == HELO_CONFIRMED)
		return true;
	return helo == HELO_ELSEWHERE && !client->helo_literal &&
		(same_name(name, client->helo) || are_related(name, client->helo));
}

static void conclude(struct ptr_result *result, enum ptr_state state, const char *reason)
{
	result->state = state;
	result->reason = reason;
}

static void judge_names(struct eds_dns *dns, const struct eds_client *client,
	const struct eds_dns_answer *ptr, struct ptr_result *result)
{
	bool unknown = result->helo == HELO_UNKNOWN;

	for (size_t i = 0; i < name_count(ptr); i++) {
		const char *name = ptr->records[i].name;
		enum match match = match_address(dns, name, &client->ip);

		unknown = unknown || match == MATCH_UNKNOWN;
		if (match != MATCH_YES)
			continue;
		if (!result->confirmed)
			result->record = name;
		result->confirmed = true;
		if (fits_helo(name, client, result->helo)) {
			result->record = name;
			conclude(result, PTR_STATE_VALID,
				"the reverse name resolves back to the address and fits HELO");
			return;
		}
	}
	if (unknown)
		conclude(result, PTR_STATE_UNKNOWN, "a lookup failed temporarily");
	else if (!result->confirmed)
		conclude(result, PTR_STATE_MISMATCH,
			"no reverse name of the address resolves back to it");
	else
		conclude(result, PTR_STATE_MISMATCH,
			"the reverse name resolves back to the address, but HELO is unrelated to "
			"that name");
}

void ptr_check(struct rt_ctx *ctx, struct eds_dns *dns, const struct eds_client *client,
	struct ptr_result *result)
{
	const struct eds_dns_answer *ptr;

	memset(result, 0, sizeof *result);
	result->helo = HELO_UNKNOWN;
	if (!client->is_public) {
		conclude(result, PTR_STATE_UNKNOWN, "the client's public address is not known");
		return;
	}
	result->helo = check_helo(dns, client);
	ptr = eds_dns_get(dns, eds_dns_ptr_name(ctx, &client->ip), EDS_DNS_PTR);
	if (ptr->state == EDS_DNS_TEMPORARY) {
		conclude(result, PTR_STATE_UNKNOWN, "the PTR lookup failed temporarily");
	} else if (ptr->state != EDS_DNS_FOUND) {
		conclude(result, PTR_STATE_MISSING, "the address has no PTR record");
	} else {
		result->record = ptr->records[0].name;
		judge_names(dns, client, ptr, result);
	}
}

const char *ptr_state_name(enum ptr_state state)
{
	static const char *const names[] = {"valid", "mismatch", "missing", "unknown"};

	return names[state];
}

const char *helo_state_name(enum helo_state state)
{
	static const char *const names[] = {
		"confirmed", "elsewhere", "unresolved", "literal", "unknown"};

	return names[state];
}
