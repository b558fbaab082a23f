#include "functions/lib/posture/zone.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/posture/name-servers.h"

/* True when all texts are SPF records. A wildcard with such records is harmless: code that looks
 * for another kind of record ignores them, and owners of parked domains are advised to publish
 * v=spf1 -all for every name. */
static bool is_spf_alone(const struct eds_dns_answer *answer)
{
	for (size_t i = 0; i < answer->count; i++)
		if (answer->records[i].txt_length < 6 ||
			strncasecmp(answer->records[i].txt, "v=spf1", 6) != 0)
			return false;
	return true;
}

static void check_wildcards(struct eds_look *look)
{
	const char *nobody = eds_look_name(look, EDS_POSTURE_NOBODY);

	const struct eds_dns_answer *texts = eds_dns_get(look->dns, nobody, EDS_DNS_TXT);

	if (texts->state == EDS_DNS_FOUND && is_spf_alone(texts))
		eds_look_find(look, EDS_POSTURE_OK, "wildcard-txt", "",
			"A wildcard answers with an SPF record for every name below %s that has "
			"no records.",
			look->domain);
	else if (texts->state == EDS_DNS_FOUND)
		eds_look_find(look, EDS_POSTURE_WARNING, "wildcard-txt",
			"Take the wildcard out, or publish TXT records for the names that need them.",
			"A wildcard answers for TXT at every name below %s, also where DMARC, DKIM "
			"keys and policies are looked for.",
			look->domain);
	if (eds_dns_get(look->dns, nobody, EDS_DNS_MX)->state == EDS_DNS_FOUND)
		eds_look_find(look, EDS_POSTURE_OK, "wildcard-mx", "",
			"A wildcard answers for MX at every name below %s, so mail to misspelled "
			"names is delivered, too.",
			look->domain);
}

/* The answer for TXT at _dmarc.TLD, where TLD is the top-level domain of the domain. The tree walk
 * of DMARC asks this question anyway. */
static const struct eds_dns_answer *answer_above(const struct eds_look *look)
{
	const char *dot = strrchr(look->domain, '.');

	return eds_dns_get(look->dns,
		rt_printf(look->ctx, "_dmarc.%s", dot != NULL ? dot + 1 : look->domain),
		EDS_DNS_TXT);
}

/* Adds the finding for a domain about which no question was answered. The domain is not at fault if
 * the resolver cannot be reached, or fails for the top-level domain too. While the question about
 * the top-level domain is still open, it is not known whether the resolver or the domain is at
 * fault. */
static void find_unanswered(struct eds_look *look, bool unreachable)
{
	static const char not_its_fault[] =
		"The fault is not the domain's. Try again in a moment. If this persists, tell the "
		"operator of this service that its DNS resolver gives no answers. The resolver is "
		"named in EDS_DNS_SERVERS, or else in /etc/resolv.conf.";
	const struct eds_dns_answer *above = answer_above(look);

	look->resolver_is_away = unreachable ||
		(above->state == EDS_DNS_TEMPORARY && above->failure != EDS_DNS_OTHER_FAILURE);
	if (unreachable)
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "zone-unanswered", not_its_fault,
			"This service cannot reach its DNS resolver, so nothing is known about %s.",
			look->domain);
	else if (look->resolver_is_away)
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "zone-unanswered", not_its_fault,
			"The DNS resolver of this service gives no answers, not even for %s (%s), "
			"so nothing is known about %s.",
			above->name, above->reason, look->domain);
	else
		eds_look_find(look, EDS_POSTURE_UNKNOWN, "zone-unanswered",
			"Try again in a moment. If this persists, the name servers do not know the "
			"zone or cannot be reached, or its DNSSEC signatures are wrong.",
			"DNS gave no answer to any question about %s.", look->domain);
}

void eds_look_zone(struct eds_look *look)
{
	static const enum eds_dns_type types[] = {EDS_DNS_NS, EDS_DNS_MX, EDS_DNS_TXT};
	size_t missing = 0;
	size_t failed = 0;
	size_t unreachable = 0;

	for (size_t i = 0; i < 3; i++) {
		const struct eds_dns_answer *answer = eds_dns_get(
			look->dns, look->domain, types[i]);

		missing += answer->state == EDS_DNS_NO_NAME;
		failed += answer->state == EDS_DNS_TEMPORARY;
		unreachable += eds_dns_resolver_is_away(answer);
	}
	if (missing > 0 && missing + failed == 3) {
		eds_look_find(look, EDS_POSTURE_ERROR, "domain-missing",
			"Check the spelling, or register and delegate the domain.",
			"%s does not exist in DNS.", look->domain);
		return;
	}
	if (failed == 3)
		find_unanswered(look, unreachable > 0);
	eds_look_name_servers(look);
	check_wildcards(look);
}
