#include "functions/tester/ptr.h"

#include <string.h>
#include <strings.h>

/* What one lookup of a name's addresses says about the client's address. */
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
	if (can_ask_helo(client))
		eds_dns_start(dns, client->helo, forward->type);
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

static enum helo_state check_helo(struct eds_dns *dns, const struct eds_client *client)
{
	static const enum helo_state states[] = {
		[MATCH_YES] = HELO_CONFIRMED,
		[MATCH_NO] = HELO_ELSEWHERE,
		[MATCH_NO_ADDRESS] = HELO_UNRESOLVED,
		[MATCH_UNKNOWN] = HELO_UNKNOWN,
	};

	if (client->helo_literal)
		return HELO_LITERAL;
	if (client->helo[0] == '\0')
		return HELO_UNKNOWN;
	return states[match_address(dns, client->helo, &client->ip)];
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

/* mail1.example.com and mail2.example.com, but not a.com and b.com. */
static bool same_parent(const char *a, const char *b)
{
	const char *parent_a = strchr(a, '.');
	const char *parent_b = strchr(b, '.');

	return parent_a != NULL && parent_b != NULL && strchr(parent_a + 1, '.') != NULL &&
		parent_a[strcspn(parent_a + 1, ".") + 2] != '\0' &&
		same_name(parent_a + 1, parent_b + 1);
}

static bool fits_helo(const char *name, const struct eds_client *client, enum helo_state helo)
{
	return helo == HELO_LITERAL || helo == HELO_CONFIRMED || same_name(name, client->helo) ||
		same_parent(name, client->helo);
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
		conclude(result, PTR_STATE_UNKNOWN, "a lookup failed for now");
	else if (!result->confirmed)
		conclude(result, PTR_STATE_MISMATCH,
			"no reverse name of the address resolves back to it");
	else
		conclude(result, PTR_STATE_MISMATCH,
			"the reverse name resolves back to the address, but HELO is unrelated to "
			"it");
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
		conclude(result, PTR_STATE_UNKNOWN, "the PTR lookup failed for now");
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
