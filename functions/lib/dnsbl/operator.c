#include "functions/lib/dnsbl/operator.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct eds_dnsbl_code {
	unsigned first;
	unsigned last;
	struct eds_dnsbl_meaning meaning;
};

static const char mend_first[] =
	"Find and stop the cause first: the operator's page says what was seen. Then ask the "
	"operator to remove the address; if it is removed too early, it is listed again.";
static const char policy_range[] =
	"This listing is not a complaint: addresses of the range are not meant to send mail "
	"directly. Send through your provider's smart host, or from an address that is meant for "
	"mail servers. If your address is meant for a mail server, its owner can have it removed "
	"on the operator's page.";

/* These facts come from the operators' own pages. */
static const struct eds_dnsbl_code spamhaus[] = {
	{2, 2, {"a source of spam (SBL)", mend_first}},
	{3, 3,
		{"low reputation, found automatically (CSS)",
			"Stop the unwanted mail, then ask for removal on the operator's page; "
			"the entry also expires by itself."}},
	{4, 7,
		{"a compromised machine (XBL)",
			"First clean the machine, or another machine that uses the same address: "
			"malware or an open proxy sends through it. Then ask for removal on the "
			"operator's page."}},
	{9, 9,
		{"a network hijacked by spammers or leased to them (DROP)",
			"The entry covers the whole network, and nothing you repair removes it: "
			"move to an address in another network."}},
	{10, 10, {"a range from which its provider allows no direct mail (PBL)", policy_range}},
	{11, 11, {"a range from which Spamhaus expects no direct mail (PBL)", policy_range}},
	{30, 30, {"a controller of malware (BCL)", mend_first}},
};

static const struct eds_dnsbl_code psbl[] = {
	{2, 2,
		{"mail to a spam trap",
			"Stop mail to addresses that never asked for it, then remove the address "
			"yourself on the operator's page."}},
};

static const struct eds_dnsbl_code mailspike[] = {
	{2, 2, {"part of a wave of spam", mend_first}},
	{10, 10, {"the worst reputation", mend_first}},
	{11, 11, {"very bad reputation", mend_first}},
	{12, 12, {"bad reputation", mend_first}},
};

static const struct eds_dnsbl_code spamcop[] = {
	{2, 2,
		{"reports of users",
			"Stop the mail that was reported. The entry expires about a day after the "
			"last report, without a request from you."}},
};

#define CODES(table) table, sizeof(table) / sizeof *(table)

static const struct eds_dnsbl_operator operators[] = {
	{"Spamhaus ZEN", "https://check.spamhaus.org/", "spamhaus.org", "spamhaus.net",
		CODES(spamhaus)},
	{"PSBL", "https://psbl.org/", "psbl.surriel.com", NULL, CODES(psbl)},
	{"Mailspike", "https://mailspike.org/iplookup.html", "mailspike.net", NULL,
		CODES(mailspike)},
	{"SpamCop", "https://www.spamcop.net/bl.shtml", "spamcop.net", NULL, CODES(spamcop)},
};

static bool ends_with(const char *zone, const char *suffix)
{
	size_t length = strlen(zone);
	size_t end = suffix != NULL ? strlen(suffix) : 0;

	if (end == 0 || length < end || strcasecmp(zone + length - end, suffix) != 0)
		return false;
	return length == end || zone[length - end - 1] == '.';
}

const struct eds_dnsbl_operator *eds_dnsbl_operator(const char *zone)
{
	for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
		if (ends_with(zone, operators[i].suffix) || ends_with(zone, operators[i].suffix_2))
			return &operators[i];
	return NULL;
}

struct eds_dnsbl_meaning eds_dnsbl_meaning(const struct eds_dnsbl_operator *known, unsigned last)
{
	for (size_t i = 0; i < known->code_count; i++)
		if (last >= known->codes[i].first && last <= known->codes[i].last)
			return known->codes[i].meaning;
	return (struct eds_dnsbl_meaning){"an entry that the operator's page explains", mend_first};
}
