#include <string.h>

#include "functions/lib/dns/name.h"
#include "functions/lib/dnssec/dnssec.h"
#include "functions/lib/mta-sts/seen.h"
#include "functions/lib/posture/dnssec.h"
#include "functions/lib/posture/exchanges.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/posture/tlsa.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

/* How long the result of a probe is used. MTA-STS checks probe a server again after a day if it
 * passed, and earlier if it failed. */
#define SERVER_KEPT_MS (INT64_C(3) * 24 * 3600 * 1000)

static const char *const advice_alias = "Let the MX record name the host that the alias leads to.";

static bool is_localhost(const char *name)
{
	return eds_dns_name_covers("localhost", name) || strcmp(name, "localhost.localdomain") == 0;
}

/* Adds a finding for a name that cannot be right, whatever addresses it has: an IP address, or a
 * name like localhost, which means the sender's own machine. */
static bool check_name(struct eds_look *look, const char *name)
{
	struct rt_ip ip;

	if (rt_ip_parse(name, &ip))
		eds_look_find(look, EDS_POSTURE_ERROR, "mx-unresolvable",
			"Give the mail server a name with an A or AAAA record, and put that name "
			"in the MX record.",
			"MX names the address %s, but it must name a host (RFC 1035 section "
			"3.3.9), so mail is not delivered there.",
			name);
	else if (is_localhost(name))
		eds_look_find(look, EDS_POSTURE_ERROR, "mx-private",
			"Name the server that takes the domain's mail. If the domain takes no "
			"mail, publish a null MX instead (RFC 7505): MX 0 and a single dot.",
			"MX names %s, which is each sender's own machine, so mail is not delivered.",
			name);
	else
		return true;
	return false;
}

static void check_exchange(struct eds_look *look, const struct eds_mx_exchange *exchange)
{
	if (exchange->name[0] == '\0')
		eds_look_find(look, EDS_POSTURE_ERROR, "mx-null-among-others",
			"Remove the null MX; if the domain accepts no mail, remove all other MX "
			"records instead.",
			"The domain has a null MX and other MX records, which senders handle in "
			"different ways (RFC 7505 section 3).");
	else if (!check_name(look, exchange->name))
		return;
	else if (exchange->alias)
		eds_look_find(look, EDS_POSTURE_ERROR, "mx-alias", advice_alias,
			"The mail server %s is an alias (CNAME), which some senders do not follow "
			"(RFC 2181 section 10.3).",
			exchange->name);
	else if (exchange->unknown && exchange->address_count == 0)
		eds_look_unanswered(look, "mx-unanswered", exchange->name);
	else if (!exchange->exists)
		eds_look_find(look, EDS_POSTURE_ERROR, "mx-unresolvable",
			"Publish an A or AAAA record for the server, or remove it from MX.",
			"The mail server %s has no address.", exchange->name);
	else if (exchange->address_count == 0)
		eds_look_find(look, EDS_POSTURE_ERROR, "mx-private",
			"Publish an address that senders can reach.",
			"The mail server %s has no public address.", exchange->name);
}

/* The last probe of a server; NULL when it is too old or missing. */
static const struct eds_mta_sts_mx *server_of(const struct eds_look *look, const char *host)
{
	const struct eds_mta_sts_seen *servers = look->question->servers;

	for (size_t i = 0; servers != NULL && i < servers->mx_count; i++)
		if (strcmp(servers->mx[i].host, host) == 0 &&
			rt_wall_ms() - servers->mx[i].checked_at_ms < SERVER_KEPT_MS)
			return &servers->mx[i];
	return NULL;
}

/* Adds a finding if the last probe of a server found no STARTTLS with a valid certificate, or a
 * certificate that ends soon. Says nothing about a server that mail cannot reach anyway: such a
 * server already has a finding. */
static void check_server(struct eds_look *look, const struct eds_mx_exchange *exchange)
{
	const struct eds_mta_sts_mx *server = server_of(look, exchange->name);

	if (server == NULL || exchange->alias || exchange->address_count == 0)
		return;
	if (server->starttls == EDS_STARTTLS_NO)
		eds_look_find(look, EDS_POSTURE_WARNING, "mx-starttls",
			"Let the server offer STARTTLS with a valid certificate for its name: "
			"senders that demand TLS do not deliver to it, and others send "
			"unencrypted, or to a server whose identity they cannot check.",
			"Mail to %s cannot be sent over TLS with a valid certificate: %s",
			exchange->name, server->reason);
	else if (eds_certificate_ends_soon(&server->certificate, rt_wall_ms()))
		eds_look_find(look, EDS_POSTURE_WARNING, "mx-certificate-ends",
			"Renew the certificate: senders that demand TLS do not deliver once it has "
			"ended.",
			"The certificate of the mail server %s ends at %s.", exchange->name,
			rt_time_format(look->ctx, server->certificate.until_ms));
}

/* Adds the results of the last probe by an MTA-STS check. */
static void put_server(struct rt_ctx *ctx, const struct eds_mta_sts_mx *server, json_t *json)
{
	static const char *const names[] = {
		[EDS_STARTTLS_UNKNOWN] = "unknown",
		[EDS_STARTTLS_YES] = "yes",
		[EDS_STARTTLS_NO] = "no",
	};
	bool known = server != NULL;
	int64_t until_ms = known ? server->certificate.until_ms : 0;

	rt_json_set_text(
		ctx, json, "starttls", names[known ? server->starttls : EDS_STARTTLS_UNKNOWN]);
	rt_json_set_text(ctx, json, "starttlsReason",
		known && server->reason[0] != '\0' ? server->reason : NULL);
	rt_json_set_text(ctx, json, "starttlsCheckedAt",
		known && server->checked_at_ms > 0 ? rt_time_format(ctx, server->checked_at_ms)
						   : NULL);
	rt_json_set_text(
		ctx, json, "certificateUntil", until_ms > 0 ? rt_time_format(ctx, until_ms) : NULL);
}

static void say_none(struct eds_look *look)
{
	if (look->mx.state == EDS_MX_STATE_UNKNOWN) {
		eds_look_unanswered(look, "mx-unanswered", look->domain);
		return;
	}
	eds_look_find(look, EDS_POSTURE_WARNING, "mx-missing",
		"Publish the servers that take the domain's mail. If the domain takes no mail, "
		"publish a null MX (RFC 7505): MX 0 and a single dot.",
		look->mx.implicit
			? "%s has no MX record; senders try the address of the domain itself."
			: "%s has no MX record, so mail to it, including bounces, cannot be delivered.",
		look->domain);
}

static json_t *exchange_json(struct eds_look *look, const struct eds_mx_exchange *exchange)
{
	struct rt_ctx *ctx = look->ctx;
	json_t *json = json_object();
	json_t *addresses = json_array();

	for (size_t i = 0; i < exchange->address_count; i++) {
		char text[RT_IP_TEXT_MAX];

		rt_ip_format(&exchange->addresses[i], text);
		rt_json_append(addresses, rt_json_text(ctx, text));
	}
	rt_json_set_text(ctx, json, "host", exchange->name);
	rt_json_set(json, "preference", json_integer(exchange->preference));
	rt_json_set(json, "alias", json_boolean(exchange->alias));
	rt_json_set(json, "addresses", addresses);
	if (look->question->servers != NULL)
		put_server(ctx, server_of(look, exchange->name), json);
	return json;
}

void eds_look_mx(struct eds_look *look)
{
	json_t *exchanges = json_array();

	for (size_t i = 0; i < look->mx.count; i++) {
		const struct eds_mx_exchange *exchange = &look->mx.exchanges[i];
		const char *text = rt_printf(
			look->ctx, "%u %s.", exchange->preference, exchange->name);

		eds_look_show(look, text, strlen(text));
		rt_json_append(exchanges, exchange_json(look, exchange));
		if (look->mx.null_mx)
			continue;
		check_exchange(look, exchange);
		check_server(look, exchange);
	}
	if (look->mx.count == 0)
		say_none(look);
	if (look->mx.null_mx)
		eds_look_find(look, EDS_POSTURE_OK, "mx-null", "",
			"A null MX says that %s accepts no mail (RFC 7505).", look->domain);
	look->item->details = json_object();
	rt_json_set(look->item->details, "exchanges", exchanges);
}

/* Adds a finding about a lookup of TLSA that failed. If it failed with SERVFAIL while the addresses
 * resolve, the name server does not know the type, or signatures are invalid. Senders that check
 * DANE then delay all mail (RFC 7672 section 2.1.1). */
static void say_unanswered(struct eds_look *look, const struct eds_mx_exchange *exchange,
	const struct eds_dns_answer *answer)
{
	if (exchange->address_count > 0 && answer->failure == EDS_DNS_SERVFAIL)
		eds_look_find(look, EDS_POSTURE_WARNING, "dane-lookup-fails",
			"Make the name servers of the host's zone answer questions for TLSA, and "
			"check the signatures of the zone.",
			"The lookup of TLSA at %s fails while the host has an address: mail from "
			"senders that check DANE is delayed.",
			answer->name);
	else
		eds_look_unanswered(look, "dane-temporary", answer->name);
}

static void say_unusable(struct eds_look *look, const char *name, enum eds_tlsa_verdict fault)
{
	eds_look_find(look, EDS_POSTURE_WARNING, "tlsa-unusable",
		"Publish the SHA-256 of the server's key: 3 1 1 and 64 hexadecimal digits.",
		"A TLSA record at %s %s.", name, eds_tlsa_fault(fault));
}

/* Adds a finding if TLSA records of a server are unusable. The finding shows the fault of the last
 * unusable record. */
static void check_tlsa(struct eds_look *look, const struct eds_dns_answer *answer)
{
	size_t usable = 0;
	enum eds_tlsa_verdict fault = EDS_TLSA_USABLE;

	for (size_t i = 0; i < answer->count; i++) {
		struct eds_tlsa tlsa;
		const char *text;

		eds_tlsa_read(look->ctx, &answer->records[i], &tlsa);
		text = rt_printf(look->ctx, "%s %s", answer->name, tlsa.text);
		eds_look_show(look, text, strlen(text));
		if (tlsa.verdict == EDS_TLSA_USABLE)
			usable++;
		else
			fault = tlsa.verdict;
	}
	if (usable == 0)
		eds_look_find(look, EDS_POSTURE_ERROR, "dane-unusable",
			"Publish the SHA-256 of the server's key (3 1 1 and 64 hexadecimal "
			"digits), or remove the records.",
			"None of the TLSA records at %s is usable: the last one %s. Senders that "
			"check DANE demand TLS there and verify no certificate.",
			answer->name, eds_tlsa_fault(fault));
	else if (fault != EDS_TLSA_USABLE)
		say_unusable(look, answer->name, fault);
}

/* True when the records have valid signatures; otherwise adds a finding, if this service can
 * validate them. A sender that checks DANE ignores unsigned records, and delays mail when
 * signatures are invalid (RFC 7672 sections 2.1.1 and 2.2). */
static bool check_signed(struct eds_look *look, const struct eds_dns_answer *answer)
{
	const struct eds_dnssec_answer *signatures;

	if (!eds_look_validates(look))
		return false;
	signatures = eds_dnssec_ask(look->question->dnssec, answer->name, EDS_DNSSEC_TLSA);
	if (signatures->state == EDS_DNSSEC_INSECURE)
		eds_look_find(look, EDS_POSTURE_WARNING, "dane-unsigned",
			"Sign the zone with DNSSEC, or remove the records.",
			"The TLSA records at %s have no effect: their zone is not signed with "
			"DNSSEC.",
			answer->name);
	else if (signatures->state == EDS_DNSSEC_BOGUS)
		eds_look_find(look, EDS_POSTURE_ERROR, "dane-bogus",
			"Sign the zone again, or correct its DS record.",
			"The DNSSEC signatures of the TLSA records at %s are not valid (%s): "
			"mail from senders that check DANE is delayed.",
			answer->name, eds_look_bogus_reason(look->ctx, signatures->why));
	else if (signatures->state != EDS_DNSSEC_SECURE)
		eds_look_unanswered(look, "dane-signatures-unanswered", answer->name);
	return signatures->state == EDS_DNSSEC_SECURE;
}

/* Adds a finding when the MX records are not signed, because signed TLSA records do not help when a
 * forged MX record names another server (RFC 7672 section 2.2.1). */
static void check_way(struct eds_look *look)
{
	const struct eds_dnssec_answer *zone = eds_dnssec_ask(
		look->question->dnssec, look->domain, EDS_DNSSEC_ZONE);

	if (zone->state == EDS_DNSSEC_INSECURE)
		eds_look_find(look, EDS_POSTURE_OK, "dane-domain-unsigned",
			"Sign the zone of the domain with DNSSEC as well.",
			"The TLSA records of the mail servers are signed, but the MX records of %s "
			"are not: an attacker who forges MX records directs mail to other "
			"servers, and many senders then do not check DANE.",
			look->domain);
}

void eds_look_dane(struct eds_look *look)
{
	size_t with = 0;
	size_t known = 0;
	bool secure = false;

	if (look->mx.count == 0 && look->mx.state == EDS_MX_STATE_UNKNOWN)
		eds_look_unanswered(look, "dane-temporary", look->domain);
	for (size_t i = 0; i < look->mx.count; i++) {
		const struct eds_mx_exchange *exchange = &look->mx.exchanges[i];
		const struct eds_dns_answer *answer;

		if (exchange->name[0] == '\0')
			continue;
		answer = eds_dns_get(look->dns, rt_printf(look->ctx, "_25._tcp.%s", exchange->name),
			EDS_DNS_TLSA);
		known += answer->state != EDS_DNS_TEMPORARY;
		with += answer->state == EDS_DNS_FOUND;
		if (answer->state == EDS_DNS_TEMPORARY)
			say_unanswered(look, exchange, answer);
		if (answer->state == EDS_DNS_FOUND) {
			check_tlsa(look, answer);
			secure |= check_signed(look, answer);
		}
	}
	if (with > 0 && with < known)
		eds_look_find(look, EDS_POSTURE_WARNING, "dane-partial",
			"Publish TLSA records for every mail server: an attacker directs mail "
			"to a server that has none.",
			"%zu of the %zu mail servers have TLSA records.", with, known);
	if (secure)
		check_way(look);
	if (with > 0 && !eds_look_validates(look))
		eds_look_find(look, EDS_POSTURE_OK, "dane-unsigned-unknown", "",
			"TLSA records have an effect only where the zone is signed with DNSSEC; "
			"this was not validated here.");
}
