#include "functions/lib/posture/name-servers.h"

#include <string.h>
#include <sys/socket.h>

#include "functions/lib/address-hour.h"
#include "runtime/config/config.h"
#include "runtime/keyed-hash.h"

enum {
	SERVERS_MAX = 8,                 /* maximum number of name servers of a domain that are
					  * asked */
	ADDRESSES_MAX = 2 * SERVERS_MAX, /* one IPv4 and one IPv6 address for each server */
};

enum says {
	SAYS_NOTHING_YET, /* no answer has come yet, or the answer allows no conclusion */
	SAYS_RECORDS,     /* the server serves the zone */
	SAYS_OTHER,       /* the server answers, but not for this zone */
	SAYS_NOTHING,     /* the server was asked and does not answer */
};

struct asked {
	const char *host;
	struct rt_ip address;
	enum says says;
	const char *how;  /* for SAYS_OTHER: how the server answered instead */
	uint64_t records; /* for SAYS_RECORDS: the sum of the records' hashes, which does not depend
			   * on their order */
};

struct servers {
	struct asked asked[ADDRESSES_MAX];
	size_t count;
	const char *left_out; /* the first server that was not asked, because the account has used
			       * up the questions to its address that are allowed in an hour
			       * (address-hour.h); NULL if all were asked */
};

static void check_address(struct eds_look *look, const char *name)
{
	const struct eds_dns_answer *four = eds_dns_get(look->dns, name, EDS_DNS_A);
	const struct eds_dns_answer *six = eds_dns_get(look->dns, name, EDS_DNS_AAAA);

	if (four->aliased || six->aliased)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-alias",
			"Let the NS record name the host that the alias leads to.",
			"The name server %s is an alias (CNAME), which a name server must not be "
			"(RFC 2181 section 10.3).",
			name);
	else if (four->state == EDS_DNS_TEMPORARY || six->state == EDS_DNS_TEMPORARY)
		eds_look_unanswered(look, "name-server-temporary", name);
	else if (four->state != EDS_DNS_FOUND && six->state != EDS_DNS_FOUND)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-unresolvable",
			"Take the name server out of the delegation, or publish its address.",
			"The name server %s has no address, so nobody can ask it.", name);
}

static const char *how_instead(const struct eds_dns_answer *answer)
{
	if (answer->state != EDS_DNS_TEMPORARY)
		return "answers without authority";
	if (answer->failure == EDS_DNS_REFERRAL)
		return "refers to other name servers";
	return answer->failure == EDS_DNS_REFUSED ? "refuses to answer" : "fails (SERVFAIL)";
}

static enum says judged(const struct eds_dns_answer *answer)
{
	if (answer->state != EDS_DNS_TEMPORARY)
		return answer->authoritative ? SAYS_RECORDS : SAYS_OTHER;
	switch (answer->failure) {
	case EDS_DNS_REFERRAL:
	case EDS_DNS_REFUSED:
	case EDS_DNS_SERVFAIL:
		return SAYS_OTHER;
	case EDS_DNS_TIMED_OUT:
	case EDS_DNS_UNREACHABLE:
		return SAYS_NOTHING;
	case EDS_DNS_OTHER_FAILURE:
	case EDS_DNS_MALFORMED:
		break;
	}
	return SAYS_NOTHING_YET;
}

static uint64_t sum_of(const struct eds_dns_answer *answer)
{
	static const struct rt_hash_key same_for_all;
	uint64_t sum = answer->count;

	for (size_t i = 0; i < answer->count; i++)
		sum += rt_hash(
			&same_for_all, answer->records[i].txt, answer->records[i].txt_length);
	return sum;
}

/* True when the account may ask the server. Counts the question only once, although later rounds of
 * the look ask it again. */
static bool may_ask(struct eds_look *look, const struct eds_dns_server *server)
{
	const struct eds_posture_question *question = look->question;
	const char *account = question->account != NULL ? question->account : "";
	struct rt_ip key = eds_address_key(&server->ip);

	if (eds_dns_was_asked_from(look->dns, server, look->domain, EDS_DNS_TXT))
		return true;
	if (!eds_address_hour_has_room(
		    look->ctx, EDS_ADDRESS_NAME_SERVERS, question->hours, account, &key))
		return false;
	eds_address_hour_count(EDS_ADDRESS_NAME_SERVERS, account, &key);
	return true;
}

/* Asks a server for TXT at the domain, where the SPF record is. */
static void ask(struct eds_look *look, const char *host, const struct rt_ip *address,
	struct servers *servers)
{
	const struct eds_dns_server server = {
		.ip = *address, .port = rt_config()->name_server_port};
	const struct eds_dns_answer *answer;

	if (!may_ask(look, &server)) {
		if (servers->left_out == NULL)
			servers->left_out = host;
		return;
	}
	answer = eds_dns_get_from(look->dns, &server, look->domain, EDS_DNS_TXT);
	servers->asked[servers->count++] = (struct asked){
		.host = host,
		.address = *address,
		.says = judged(answer),
		.how = how_instead(answer),
		.records = sum_of(answer),
	};
}

static void ask_first_address(
	struct eds_look *look, const char *host, enum eds_dns_type type, struct servers *servers)
{
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, host, type);

	for (size_t i = 0; i < answer->count; i++) {
		const struct rt_ip *address = &answer->records[i].ip;

		if (rt_ip_is_public(address, rt_config()->allow_private)) {
			ask(look, host, address, servers);
			return;
		}
	}
}

/* The first server other than `asked` that has the same address family and serves the zone; NULL if
 * there is none. */
static const struct asked *witness_of(const struct servers *servers, const struct asked *asked)
{
	for (size_t i = 0; i < servers->count; i++)
		if (servers->asked[i].says == SAYS_RECORDS && &servers->asked[i] != asked &&
			servers->asked[i].address.family == asked->address.family)
			return &servers->asked[i];
	return NULL;
}

static void judge(struct eds_look *look, const struct asked *asked, const struct asked *witness)
{
	char address[RT_IP_TEXT_MAX];

	rt_ip_format(&asked->address, address);
	if (asked->says == SAYS_OTHER)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-lame",
			"Set the zone up on the name server, or take the server out of the "
			"delegation and of the NS records.",
			"The name server %s (%s) does not serve %s: it %s. Receivers that ask it "
			"lose time, or find none of the domain's records.",
			asked->host, address, look->domain, asked->how);
	else if (asked->says == SAYS_NOTHING)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-silent",
			"Bring the name server back, or take it out of the delegation and of the "
			"NS records.",
			"The name server %s (%s) does not answer, while %s does. Receivers that ask "
			"it lose time, or give up.",
			asked->host, address, witness->host);
	else if (asked->says == SAYS_RECORDS && asked->records != witness->records)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-servers-differ",
			"If the zone has just been changed, look again later; otherwise find out "
			"why the change does not reach all name servers.",
			"The name servers %s and %s have different TXT records for %s, so SPF "
			"passes or fails depending on which of them is asked.",
			witness->host, asked->host, look->domain);
}

/* Judges the servers. The records of each server are compared with those of the first server of its
 * address family that serves the zone; only the first difference is reported. */
static void judge_all(struct eds_look *look, const struct servers *servers)
{
	bool differ = false;

	for (size_t i = 0; i < servers->count; i++) {
		const struct asked *asked = &servers->asked[i];
		const struct asked *witness = witness_of(servers, asked);

		if (witness == NULL || (asked->says == SAYS_RECORDS && (differ || witness > asked)))
			continue;
		differ |= asked->says == SAYS_RECORDS && asked->records != witness->records;
		judge(look, asked, witness);
	}
}

/* Says that a server was not asked, which is no fault of the domain. */
static void say_left_out(struct eds_look *look, const char *host)
{
	eds_look_find(look, EDS_POSTURE_OK, "name-server-not-asked", "",
		"The name server %s was not asked for its records: other checks have used up the "
		"questions to its address that are allowed in an hour.",
		host);
	look->item->postponed = true;
}

static void ask_each(struct eds_look *look, const struct eds_dns_answer *answer)
{
	struct servers servers = {.count = 0};

	for (size_t i = 0; i < answer->count && i < SERVERS_MAX; i++) {
		ask_first_address(look, answer->records[i].name, EDS_DNS_A, &servers);
		ask_first_address(look, answer->records[i].name, EDS_DNS_AAAA, &servers);
	}
	judge_all(look, &servers);
	if (servers.left_out != NULL)
		say_left_out(look, servers.left_out);
}

/* A domain that is not a zone has no name servers of its own, so it gets no findings here. */
void eds_look_name_servers(struct eds_look *look)
{
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, look->domain, EDS_DNS_NS);

	for (size_t i = 0; i < answer->count; i++) {
		eds_look_show(look, answer->records[i].name, strlen(answer->records[i].name));
		if (i >= SERVERS_MAX)
			continue;
		eds_dns_start(look->dns, answer->records[i].name, EDS_DNS_A);
		eds_dns_start(look->dns, answer->records[i].name, EDS_DNS_AAAA);
	}
	for (size_t i = 0; i < answer->count && i < SERVERS_MAX; i++)
		check_address(look, answer->records[i].name);
	if (answer->count == 1)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-single",
			"Add a second name server in another network.",
			"%s has a single name server: when it fails, so does the domain's mail "
			"(RFC 2182 section 5).",
			look->domain);
	if (rt_config()->name_server_port != 0 && !answer->aliased)
		ask_each(look, answer);
}
