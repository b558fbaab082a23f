/* Advice on the sending server: its address, HELO, reverse DNS and the blocklists. */
#include <string.h>

#include "functions/tester/advice.h"

/* HELO as a name that records can be published for; NULL for literals, "localhost" and inventions.
 */
static const char *helo_name(struct advice_list *list, const struct analysis *analysis)
{
	const char *helo = analysis->client.helo;
	const char *name = eds_domain_normalize(list->ctx, helo, strlen(helo));

	return name != NULL && strchr(name, '.') != NULL ? name : NULL;
}

static struct advice_record ptr_record(struct advice_list *list, const struct analysis *analysis)
{
	const char *name = helo_name(list, analysis);

	return (struct advice_record){
		.name = eds_dns_ptr_name(list->ctx, &analysis->client.ip),
		.type = "PTR",
		.value = name != NULL ? rt_printf(list->ctx, "%s.", name) : NULL,
	};
}

static struct advice_record address_record(
	struct advice_list *list, const struct analysis *analysis, const char *name)
{
	char ip[RT_IP_TEXT_MAX];

	rt_ip_format(&analysis->client.ip, ip);
	return (struct advice_record){
		.name = name,
		.type = analysis->client.ip.family == AF_INET6 ? "AAAA" : "A",
		.value = rt_strdup(list->ctx, ip),
	};
}

static void advise_mismatch(struct advice_list *list, const struct analysis *analysis)
{
	const struct ptr_result *ptr = &analysis->ptr;
	struct advice *item;

	if (!ptr->confirmed) {
		item = advice_add(list, ADVICE_ACTION, PTR_MISMATCH, "ptr-unconfirmed",
			"The reverse name %s does not resolve back to the address. Publish its "
			"address record.",
			ptr->record);
		item->record = address_record(list, analysis, ptr->record);
		return;
	}
	item = advice_add(list, ADVICE_ACTION, PTR_MISMATCH, "ptr-helo-unrelated",
		"The server greets as %s, which is unrelated to its reverse name %s. Let it "
		"greet as %s, or let the name it greets with resolve to its address.",
		analysis->client.helo, ptr->record, ptr->record);
	if (helo_name(list, analysis) != NULL)
		item->record = address_record(list, analysis, helo_name(list, analysis));
}

static void advise_ptr(struct advice_list *list, const struct analysis *analysis)
{
	struct advice *item;

	switch (analysis->ptr.state) {
	case PTR_STATE_VALID:
		advice_add(list, ADVICE_GOOD, PTR_VALID, "ptr-valid",
			"Reverse DNS names %s, which resolves back to the address.",
			analysis->ptr.record);
		break;
	case PTR_STATE_MISSING:
		item = advice_add(list, ADVICE_ACTION, PTR_MISSING, "ptr-missing",
			"The sending address has no reverse DNS. Ask whoever gave you the "
			"address to publish its PTR record.");
		item->record = ptr_record(list, analysis);
		break;
	case PTR_STATE_MISMATCH:
		advise_mismatch(list, analysis);
		break;
	case PTR_STATE_UNKNOWN:
		if (analysis->client.is_public)
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "ptr-unknown",
				"Reverse DNS could not be judged: %s.", analysis->ptr.reason);
		break;
	}
}

static void advise_lists(struct advice_list *list, const struct analysis *analysis)
{
	static const enum tester_rule rules[RT_DNSBL_KINDS] = {
		[RT_DNSBL_COMBINED] = BLOCKLIST_COMBINED,
		[RT_DNSBL_RELAY] = BLOCKLIST_RELAY,
		[RT_DNSBL_REPUTATION] = BLOCKLIST_REPUTATION,
		[RT_DNSBL_REPORTED] = BLOCKLIST_REPORTED,
	};

	for (size_t i = 0; i < RT_DNSBL_KINDS; i++) {
		const struct eds_dnsbl_result *result = &analysis->lists[i];

		if (result->state == EDS_DNSBL_LISTED)
			advice_add(list, ADVICE_ACTION, rules[i], "blocklist-listed",
				"The sending address is on the %s list. Find out why mail from "
				"it was reported, stop that, then ask the list's operator to "
				"remove it.",
				result->label);
		else if (result->state == EDS_DNSBL_UNKNOWN && analysis->client.is_public)
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "blocklist-unknown",
				"The %s list gave no usable answer: %s.", result->label,
				result->reason);
	}
}

static void advise_unknown_client(struct advice_list *list, const struct eds_client *client)
{
	char ip[RT_IP_TEXT_MAX];

	if (client->ip.family == 0) {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "client-unknown",
			"The address that sent the message is not known, so SPF, reverse DNS and "
			"blocklists could not be judged.");
		return;
	}
	rt_ip_format(&client->ip, ip);
	advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "client-not-public",
		"The message came from %s, which is no address of the public Internet, so SPF, "
		"reverse DNS and blocklists could not be judged.",
		ip);
}

void advice_client(struct advice_list *list, const struct analysis *analysis)
{
	if (!analysis->client.is_public)
		advise_unknown_client(list, &analysis->client);
	advise_ptr(list, analysis);
	advise_lists(list, analysis);
}
