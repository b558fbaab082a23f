#include <string.h>

#include "functions/lib/posture/item.h"
#include "functions/lib/posture/zone.h"

enum { NAME_SERVERS_MAX = 8 }; /* limit on name servers whose addresses are looked up */

static void check_server(struct eds_look *look, const char *name)
{
	const struct eds_dns_answer *four = eds_dns_get(look->dns, name, EDS_DNS_A);
	const struct eds_dns_answer *six = eds_dns_get(look->dns, name, EDS_DNS_AAAA);

	if (four->aliased || six->aliased)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-alias",
			"Name the host that the alias leads to.",
			"The name server %s is an alias (CNAME), which a name server must not be "
			"(RFC 2181 section 10.3).",
			name);
	else if (four->state == EDS_DNS_TEMPORARY || six->state == EDS_DNS_TEMPORARY)
		eds_look_unanswered(look, "name-server-temporary", name);
	else if (four->state != EDS_DNS_FOUND && six->state != EDS_DNS_FOUND)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-unresolvable",
			"Take it out of the delegation, or publish its address.",
			"The name server %s has no address, so nobody can ask it.", name);
}

/* A name inside a zone has no name servers of its own, and no findings here. */
static void check_servers(struct eds_look *look)
{
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, look->domain, EDS_DNS_NS);

	for (size_t i = 0; i < answer->count; i++) {
		eds_look_show(look, answer->records[i].name, strlen(answer->records[i].name));
		if (i >= NAME_SERVERS_MAX)
			continue;
		eds_dns_start(look->dns, answer->records[i].name, EDS_DNS_A);
		eds_dns_start(look->dns, answer->records[i].name, EDS_DNS_AAAA);
	}
	for (size_t i = 0; i < answer->count && i < NAME_SERVERS_MAX; i++)
		check_server(look, answer->records[i].name);
	if (answer->count == 1)
		eds_look_find(look, EDS_POSTURE_WARNING, "name-server-single",
			"Add a second one in another network.",
			"%s has a single name server: when it is away, so is the domain's mail "
			"(RFC 2182 section 5).",
			look->domain);
}

static void check_wildcards(struct eds_look *look)
{
	const char *nobody = eds_look_name(look, EDS_POSTURE_NOBODY);

	if (eds_dns_get(look->dns, nobody, EDS_DNS_TXT)->state == EDS_DNS_FOUND)
		eds_look_find(look, EDS_POSTURE_WARNING, "wildcard-txt",
			"Take the wildcard out, or publish TXT records for the names that need them.",
			"A wildcard answers for TXT at every name below %s, also where DMARC, DKIM "
			"keys and policies are looked for.",
			look->domain);
	if (eds_dns_get(look->dns, nobody, EDS_DNS_MX)->state == EDS_DNS_FOUND)
		eds_look_find(look, EDS_POSTURE_OK, "wildcard-mx", "",
			"A wildcard answers for MX at every name below %s, so mail to names that "
			"nobody has is delivered.",
			look->domain);
}

void eds_look_zone(struct eds_look *look)
{
	static const enum eds_dns_type types[] = {EDS_DNS_NS, EDS_DNS_MX, EDS_DNS_TXT};
	size_t missing = 0;
	size_t failed = 0;

	for (size_t i = 0; i < 3; i++) {
		const struct eds_dns_answer *answer = eds_dns_get(
			look->dns, look->domain, types[i]);

		missing += answer->state == EDS_DNS_NO_NAME;
		failed += answer->state == EDS_DNS_TEMPORARY;
	}
	if (missing > 0 && missing + failed == 3) {
		eds_look_find(look, EDS_POSTURE_ERROR, "domain-missing",
			"Check the spelling, or register and delegate the domain.",
			"%s does not exist in DNS.", look->domain);
		return;
	}
	if (failed == 3)
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "zone-unanswered",
			"Look again in a moment. If it stays so, the name servers do not know the "
			"zone, are away, or its DNSSEC signatures are wrong.",
			"DNS gave no answer to any question about %s.", look->domain);
	check_servers(look);
	check_wildcards(look);
}
