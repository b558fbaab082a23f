#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/mail/domain.h"
#include "functions/tester/advice/advice-client.h"
#include "functions/tester/advice/advice.h"

/* True for a name that public DNS does not have: one of a private network, or the default name of a
 * machine. */
static bool is_local(const char *name)
{
	static const char *const ends[] = {
		".localdomain", ".local", ".lan", ".internal", ".home", ".arpa", ".invalid"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i]);

		if (length > end && strcmp(name + length - end, ends[i]) == 0)
			return true;
	}
	return false;
}

/* The HELO name, if records can be published for it; NULL for address literals, "localhost" and
 * invented names. */
static const char *helo_name(struct advice_list *list, const struct analysis *analysis)
{
	const char *helo = analysis->client.helo;
	const char *name = eds_domain_normalize(list->ctx, helo, strlen(helo));

	return name != NULL && strchr(name, '.') != NULL && !is_local(name) ? name : NULL;
}

static bool has_word(const char *name, const char *word)
{
	for (const char *at = name; (at = strstr(at, word)) != NULL; at++)
		if ((at == name || strchr(".-0123456789", at[-1]) != NULL) &&
			strchr(".-0123456789", at[strlen(word)]) != NULL)
			return true;
	return false;
}

/* True if the name contains the whole IPv4 address in hexadecimal, as p4fd0a1b2.dip0.t-ipconnect.de
 * does. */
static bool has_hex(const struct rt_ip *ip, const char *name)
{
	char digits[9];

	if (ip->family != AF_INET)
		return false;
	snprintf(digits, sizeof digits, "%02x%02x%02x%02x", ip->bytes[0], ip->bytes[1],
		ip->bytes[2], ip->bytes[3]);
	return strcasestr(name, digits) != NULL;
}

/* True if the name looks like one that a provider gives to every address: it contains the last two
 * numbers of an IPv4 address, or the whole address in hexadecimal, or a word for the kind of
 * connection, such as "dsl". Filters distrust a server that greets with such a name. */
static bool is_generic(const struct rt_ip *ip, const char *name)
{
	static const char *const words[] = {"dyn", "dynamic", "dsl", "adsl", "vdsl", "pool", "dhcp",
		"cable", "ppp", "dialup", "broadband", "customer", "ip"};
	char digits[8];
	size_t seen = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (has_word(name, words[i]))
			return true;
	if (has_hex(ip, name))
		return true;
	for (size_t i = 2; ip->family == AF_INET && i < 4; i++) {
		snprintf(digits, sizeof digits, "%u", ip->bytes[i]);
		seen += has_word(name, digits);
	}
	return seen == 2;
}

/* True if the name belongs to the sender: it is the domain of From or of the envelope sender, or is
 * below one of them. */
static bool is_own(const struct analysis *analysis, const char *name)
{
	const char *from = analysis->from.count > 0 ? analysis->from.domains[0] : "";

	return (from[0] != '\0' && eds_dns_name_covers(from, name)) ||
		(analysis->mail_from != NULL && analysis->mail_from[0] != '\0' &&
			analysis->spf.domain[0] != '\0' &&
			eds_dns_name_covers(analysis->spf.domain, name));
}

static bool is_sender_domain(const struct analysis *analysis, const char *name)
{
	return strcasecmp(analysis->spf.domain, name) == 0 ||
		(analysis->from.count > 0 && strcmp(analysis->from.domains[0], name) == 0);
}

/* The PTR record to publish. Its value is the HELO name only if that name already resolves to the
 * address; otherwise receivers could not confirm the new record. */
static struct advice_record ptr_record(struct advice_list *list, const struct analysis *analysis)
{
	const char *name = analysis->ptr.helo == HELO_CONFIRMED ? helo_name(list, analysis) : NULL;

	return (struct advice_record){
		.name = eds_dns_ptr_name(list->ctx, &analysis->client.ip),
		.type = "PTR",
		.value = name != NULL && !is_generic(&analysis->client.ip, name)
			? rt_printf(list->ctx, "%s.", name)
			: NULL,
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

/* The severity of a missing or unconfirmed reverse name: urgent if large providers refuse the
 * message for it. */
static enum advice_severity ptr_severity(const struct analysis *analysis)
{
	return eds_finding_has(&analysis->outlook.refused, requirement_name(REQUIRE_PTR))
		? ADVICE_URGENT
		: ADVICE_ACTION;
}

static void advise_unconfirmed(struct advice_list *list, const struct analysis *analysis)
{
	const char *name = analysis->ptr.record;
	bool own = is_own(analysis, name) && !is_generic(&analysis->client.ip, name);
	struct advice *item = advice_add(list, ptr_severity(analysis), PTR_MISMATCH,
		"ptr-unconfirmed",
		"The reverse name %s does not resolve back to the address, and Gmail and Yahoo "
		"refuse mail from such an address. %s",
		name,
		own ? "If the name belongs to this server, publish an address record for the "
		      "name."
		    : "Ask the provider of the address for a PTR record with the mail host's own "
		      "name, and let that name resolve to this address.");

	if (own)
		item->record = address_record(list, analysis, name);
}

/* Advises on a HELO name that does not fit the reverse name. The reverse name is confirmed, so only
 * HELO needs a change, unless the provider gives such a reverse name to any address. */
static void advise_greeting(struct advice_list *list, const struct analysis *analysis)
{
	const struct ptr_result *ptr = &analysis->ptr;
	const char *name = helo_name(list, analysis);
	struct advice *item;

	if (is_generic(&analysis->client.ip, ptr->record)) {
		advice_add(list, ADVICE_ACTION, PTR_MISMATCH, "ptr-generic",
			"The server greets as %.253s, and its reverse name is %s, which the "
			"provider gives to any address. Ask the provider for a PTR record with "
			"the mail host's own name, and let the server greet with that name.",
			analysis->client.helo, ptr->record);
		return;
	}
	item = advice_add(list, ADVICE_ACTION, PTR_MISMATCH, "ptr-helo-unrelated",
		"The server greets as %.253s%s, but its reverse name is %s. Let it greet as %s.",
		analysis->client.helo,
		ptr->helo == HELO_UNRESOLVED ? ", which resolves to nothing" : "", ptr->record,
		ptr->record);
	/* Offers no record for a name that has an address: a further address could misroute the
	 * name's mail. Offers no record for the sender's domain itself either: that name usually
	 * has the address of a website. */
	if (name != NULL && ptr->helo == HELO_UNRESOLVED && is_own(analysis, name) &&
		!is_sender_domain(analysis, name))
		item->record = address_record(list, analysis, name);
}

static void advise_mismatch(struct advice_list *list, const struct analysis *analysis)
{
	if (analysis->ptr.confirmed)
		advise_greeting(list, analysis);
	else
		advise_unconfirmed(list, analysis);
}

static void advise_missing(struct advice_list *list, const struct analysis *analysis)
{
	const char *name = helo_name(list, analysis);
	bool ready = name != NULL && analysis->ptr.helo == HELO_CONFIRMED;
	struct advice *item = advice_add(list, ptr_severity(analysis), PTR_MISSING, "ptr-missing",
		"The sending address has no reverse DNS, and Gmail and Yahoo refuse mail from such "
		"an address. %sAsk the provider of the address to publish its PTR record%s",
		ready ? ""
		      : "First let the server greet (HELO) with its own full name, and let that "
			"name resolve to this address. ",
		ready ? "." : " with that name.");

	item->record = ptr_record(list, analysis);
}

/* True if the name contains a word for mail. The reverse names of large senders often contain such
 * a word, even if they also contain the numbers of the address. */
static bool names_mail(const char *name)
{
	static const char *const words[] = {"mail", "mta", "smtp", "mx", "out", "outbound"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (has_word(name, words[i]))
			return true;
	return false;
}

static void advise_valid(struct advice_list *list, const struct analysis *analysis)
{
	const char *name = analysis->ptr.record;

	if (is_generic(&analysis->client.ip, name) && !names_mail(name) && !is_own(analysis, name))
		advice_add(list, ADVICE_NOTE, PTR_VALID, "ptr-generic",
			"Reverse DNS names %s, which resolves back to the address, but looks "
			"like a name that the provider gives to any address; some receivers "
			"distrust or refuse mail from such a host. Ask the provider for a PTR "
			"record with the mail host's own name, and let the server greet with "
			"that name.",
			name);
	else
		advice_add(list, ADVICE_GOOD, PTR_VALID, "ptr-valid",
			"Reverse DNS names %s, which resolves back to the address.", name);
}

static void advise_ptr(struct advice_list *list, const struct analysis *analysis)
{
	switch (analysis->ptr.state) {
	case PTR_STATE_VALID:
		advise_valid(list, analysis);
		break;
	case PTR_STATE_MISSING:
		advise_missing(list, analysis);
		break;
	case PTR_STATE_MISMATCH:
		advise_mismatch(list, analysis);
		break;
	case PTR_STATE_UNKNOWN:
		if (analysis->client.is_public)
			advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "ptr-unknown",
				"Reverse DNS could not be judged: %s." ADVICE_LATER,
				analysis->ptr.reason);
		break;
	}
}

static void advise_unknown_client(struct advice_list *list, const struct eds_client *client)
{
	char ip[RT_IP_TEXT_MAX];

	if (client->ip.family == 0) {
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "client-unknown",
			"The address that sent the message is not known, so SPF, reverse DNS and "
			"blocklists could not be judged. " CLIENT_WAY_OUT);
		return;
	}
	rt_ip_format(&client->ip, ip);
	advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "client-not-public",
		"The message came from %s, which is not a public Internet address, so SPF, reverse "
		"DNS and blocklists could not be judged. " CLIENT_WAY_OUT
		" If a relay of this service passed the message on, the operator must name that "
		"relay in EDS_TRUSTED_RELAYS.",
		ip);
}

void advice_client(struct advice_list *list, const struct analysis *analysis)
{
	if (!analysis->client.is_public)
		advise_unknown_client(list, &analysis->client);
	advise_ptr(list, analysis);
}
