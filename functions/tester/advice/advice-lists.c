#include <stdlib.h>
#include <string.h>

#include "functions/tester/advice/advice-lists.h"
#include "functions/tester/advice/advice.h"

/* The last octet of a code: 10 for "127.0.0.10". */
static unsigned last_octet(const char *code)
{
	const char *dot = strrchr(code, '.');

	return dot != NULL ? (unsigned)strtoul(dot + 1, NULL, 10) : 0;
}

/* The name of the list in a sentence. The zone of a list of an unknown operator is not shown: it
 * may contain a customer's key. */
static const char *who(const struct eds_dnsbl_result *result, enum rt_dnsbl_kind kind)
{
	static const char *const lists[RT_DNSBL_KINDS] = {
		[RT_DNSBL_COMBINED] = "the combined blocklist",
		[RT_DNSBL_RELAY] = "the list of open relays and spam sources",
		[RT_DNSBL_REPUTATION] = "the list of bad reputation",
		[RT_DNSBL_REPORTED] = "the list of addresses that users reported",
	};

	return result->known != NULL ? result->known->name : lists[kind];
}

static void advise_unnamed(struct advice_list *list, const struct eds_dnsbl_result *result,
	enum rt_dnsbl_kind kind, enum tester_rule rule)
{
	advice_add(list, ADVICE_ACTION, rule, "blocklist-listed",
		"The sending address is on %s (%s). Find and stop the cause, then ask the operator "
		"of that list to remove the address; if it is removed too early, it is listed "
		"again.",
		who(result, kind), result->codes[0]);
}

/* Adds an item for each code, unless it has the meaning of the code before it: two codes with the
 * same meaning need one action. */
static void advise_listed(
	struct advice_list *list, const struct eds_dnsbl_result *result, enum tester_rule rule)
{
	const char *said = NULL;

	for (size_t i = 0; i < result->code_count; i++) {
		struct eds_dnsbl_meaning meaning = eds_dnsbl_meaning(
			result->known, last_octet(result->codes[i]));

		if (said != NULL && strcmp(said, meaning.meaning) == 0)
			continue;
		advice_add(list, ADVICE_ACTION, said == NULL ? rule : TESTER_NO_RULE,
			"blocklist-listed",
			"The sending address is on %s as %s (%s). %s Look it up at %s",
			result->known->name, meaning.meaning, result->codes[i], meaning.action,
			result->known->look_up);
		said = meaning.meaning;
	}
}

/* True if the list refuses to answer our resolver (127.255.255.x), which says nothing about the
 * sender. */
static bool is_refusal(const struct eds_dnsbl_result *result)
{
	for (size_t i = 0; i < result->code_count; i++)
		if (strncmp(result->codes[i], "127.255.255.", 12) == 0)
			return true;
	return false;
}

/* The end of the advice on a list that gave no usable answer. Another analysis is only advised when
 * the lookup failed. */
static const char *what_then(const struct eds_dnsbl_result *result)
{
	if (is_refusal(result))
		return " The operator of this service must correct that, not the sender.";
	return result->failed ? ADVICE_LATER : "";
}

void advice_lists(struct advice_list *list, const struct analysis *analysis)
{
	static const enum tester_rule rules[RT_DNSBL_KINDS] = {
		[RT_DNSBL_COMBINED] = BLOCKLIST_COMBINED,
		[RT_DNSBL_RELAY] = BLOCKLIST_RELAY,
		[RT_DNSBL_REPUTATION] = BLOCKLIST_REPUTATION,
		[RT_DNSBL_REPORTED] = BLOCKLIST_REPORTED,
	};

	for (size_t i = 0; i < RT_DNSBL_KINDS; i++) {
		const struct eds_dnsbl_result *result = &analysis->lists[i];

		if (result->state == EDS_DNSBL_LISTED && result->known != NULL)
			advise_listed(list, result, rules[i]);
		else if (result->state == EDS_DNSBL_LISTED)
			advise_unnamed(list, result, (enum rt_dnsbl_kind)i, rules[i]);
		else if (result->state == EDS_DNSBL_UNKNOWN && analysis->client.is_public)
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "blocklist-unknown",
				"Whether the address is on %s is not known: %s.%s",
				who(result, (enum rt_dnsbl_kind)i), result->reason,
				what_then(result));
	}
}
