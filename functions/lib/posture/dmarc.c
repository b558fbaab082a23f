#include "functions/lib/dmarc/dmarc.h"
#include "functions/lib/dmarc/discover.h"
#include "functions/lib/dmarc/evaluate.h"
#include "functions/lib/dmarc/published.h"
#include "functions/lib/dmarc/record-edit.h"
#include "runtime/json-format.h"

#include <string.h>
#include <strings.h>

#include "functions/lib/posture/dmarc.h"
#include "functions/lib/posture/item.h"
#include "functions/lib/spf/spf-record.h"

/* The maximum number of destinations that are looked up because they may belong to other
 * organizations, which must consent. */
enum { FOREIGN_MAX = 6 };

struct dmarc_look {
	struct eds_look *look;
	struct eds_dmarc_published published;
	struct eds_dmarc_destination rua[EDS_DMARC_DESTINATIONS_MAX];
	size_t rua_count;
	json_t *destinations;
	size_t foreign; /* number of destinations so far that may belong to other organizations */
};

static const char *const advice_several = "Keep the one that you mean and remove the others.";

/* Puts the record to publish into the finding. This record is for the domain itself, even when the
 * record of a domain above applies now. */
static void put_record(struct dmarc_look *dmarc, struct eds_posture_finding *finding,
	const char *value, const char *old)
{
	if (value != NULL)
		finding->record = (struct eds_posture_record){
			.name = eds_look_name(dmarc->look, "_dmarc"),
			.type = "TXT",
			.value = value,
			.old = old};
}

static bool is_own(const struct dmarc_look *dmarc)
{
	return dmarc->published.found && strcmp(dmarc->published.domain, dmarc->look->domain) == 0;
}

/* True for a domain that says it neither sends nor accepts mail: its SPF record is "v=spf1 -all",
 * and it has a null MX, or neither an MX nor a public address. A domain with mail servers does not
 * count as parked, because it may send mail with envelope senders at subdomains, which have SPF
 * records of their own. */
static bool is_parked(const struct eds_look *look)
{
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, look->domain, EDS_DNS_TXT);
	const struct eds_dns_record *found;
	struct eds_spf_record record;

	return (look->mx.null_mx || look->mx.state == EDS_MX_STATE_NONE) && !look->mx.implicit &&
		eds_spf_choose(answer, &found) == EDS_SPF_CHOICE_ONE &&
		eds_spf_record_parse(look->ctx, found->txt, found->txt_length, &record) &&
		record.count == 1 && record.terms[0].kind == EDS_SPF_ALL &&
		record.terms[0].qualifier == '-';
}

static const char *first_advice(const char *address, bool parked)
{
	if (parked)
		return "The domain's SPF record says that the domain sends no mail. Publish this "
		       "record, so that receivers refuse all mail in the domain's name.";
	if (address != NULL)
		return "Begin with this record, which refuses nothing and brings reports.";
	return "Begin with this record, which refuses nothing; to receive reports, add rua=mailto: "
	       "with the address of a mailbox that you read.";
}

/* Adds the finding that there is no record. Without a report address the suggested record has no
 * rua=, because nobody knows whether an invented mailbox exists. */
static void say_missing(struct dmarc_look *dmarc)
{
	const char *address = dmarc->look->question->report_address;
	bool parked = is_parked(dmarc->look);
	const char *value = parked ? "v=DMARC1; p=reject" : "v=DMARC1; p=none";

	if (address != NULL)
		value = rt_printf(dmarc->look->ctx, "%s; rua=mailto:%s", value, address);
	put_record(dmarc,
		eds_look_find(dmarc->look, EDS_POSTURE_ERROR, "dmarc-missing",
			first_advice(address, parked),
			"%s publishes no DMARC record, and no domain above it does.",
			dmarc->look->domain),
		value, NULL);
}

static const char *const advice_begin =
	"Let the record begin with v=DMARC1 and a semicolon, in this spelling and with nothing "
	"before it.";

/* Adds a finding if the domain has a record that was meant for DMARC but that receivers ignore;
 * returns whether it has one. */
static bool say_misspelt(struct dmarc_look *dmarc)
{
	struct eds_look *look = dmarc->look;
	const char *text = eds_dmarc_misspelt(look->ctx, look->dns, look->domain);

	if (text == NULL)
		return false;
	eds_look_find(look, EDS_POSTURE_ERROR, "dmarc-version", advice_begin,
		"Receivers ignore the record at _dmarc.%s, because it does not begin with "
		"v=DMARC1 and a semicolon. It is: %.300s",
		look->domain, text);
	return true;
}

static void say_nothing_applies(struct dmarc_look *dmarc, bool misspelt)
{
	const struct eds_dmarc_published *published = &dmarc->published;

	if (published->failed != NULL)
		eds_look_unanswered(dmarc->look, "dmarc-temporary",
			rt_printf(dmarc->look->ctx, "_dmarc.%s", published->failed));
	else if (published->several == NULL && !misspelt)
		say_missing(dmarc);
}

/* Adds findings about tags of the domain's own record that weaken the protection of names below it:
 * sp=, np= and psd=y. */
static void say_subdomains(struct dmarc_look *dmarc)
{
	const struct eds_dmarc_record *tags = &dmarc->published.tags;

	if (tags->has_sp && tags->sp < tags->p)
		eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-subdomains-weaker",
			"When all of your mail from subdomains passes, set sp= to the policy of "
			"the domain, or remove sp=.",
			"For subdomains the policy is %s, weaker than that of %s.",
			eds_dmarc_policy_name(tags->sp), dmarc->look->domain);
	if (tags->has_np && tags->np < tags->sp)
		eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-nonexistent-weaker",
			"Raise np=, or remove it: no mail of yours comes from names that do not "
			"exist.",
			"For subdomains that do not exist the policy is %s, so mail that forges "
			"such a name is treated more mildly.",
			eds_dmarc_policy_name(tags->np));
	if (tags->psd == EDS_DMARC_PSD_YES)
		eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-public-suffix",
			"Remove psd=y, unless others register domains below this domain.",
			"psd=y says that %s is a public suffix, like co.uk: each of its subdomains "
			"is an organization of its own, and mail from one is not aligned with "
			"another.",
			dmarc->look->domain);
}

static void say_policy(struct dmarc_look *dmarc)
{
	const struct eds_dmarc_published *published = &dmarc->published;
	const struct eds_dmarc_record *tags = &published->tags;

	if (published->policy == EDS_DMARC_P_NONE)
		eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-policy-none",
			is_parked(dmarc->look)
				? "The domain's SPF record says that the domain sends no mail: "
				  "publish p=reject."
				: "When the reports show that all of your mail passes, publish "
				  "p=quarantine, and later p=reject.",
			"The DMARC policy for %s is none, so mail that forges addresses of this "
			"domain is delivered.",
			dmarc->look->domain);
	else if (tags->testing && !published->of_suffix)
		eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-testing",
			"Remove t=y when the reports show no failures of your own mail.",
			"t=y asks receivers to treat failing mail one step more mildly than the "
			"policy says; receivers that know only the older RFC 7489 ignore t=y "
			"and apply the policy in full.");
	if (is_own(dmarc))
		say_subdomains(dmarc);
	else
		eds_look_find(dmarc->look, EDS_POSTURE_OK, "dmarc-inherited", "",
			"%s has no DMARC record of its own; the record of %s applies.",
			dmarc->look->domain, published->domain);
}

/* Adds the warnings about the record's tags; none for the record of a public suffix, which only the
 * registry can correct. */
static void say_warnings(struct dmarc_look *dmarc)
{
	for (size_t i = 0; !dmarc->published.of_suffix && i < dmarc->published.tags.warnings.count;
		i++) {
		const struct eds_finding *warning = &dmarc->published.tags.warnings.items[i];

		eds_look_find(dmarc->look,
			strcmp(warning->code, "dmarc-tag-historic") == 0 ? EDS_POSTURE_OK
									 : EDS_POSTURE_WARNING,
			warning->code, "", "%s", warning->message);
	}
}

/* Makes a record for the domain itself from the record of the domain above. The new record has the
 * policy that applies now; reports, alignment and testing are as in the record above. The report
 * addresses of a public suffix belong to its registry, so they are left out. */
static const char *record_of_its_own(struct dmarc_look *dmarc)
{
	static const char *const others[] = {"v", "p", "sp", "np", "psd", NULL};
	static const char *const suffixes[] = {
		"v", "p", "sp", "np", "psd", "rua", "ruf", "fo", NULL};
	const struct eds_dmarc_published *published = &dmarc->published;
	struct rt_ctx *ctx = dmarc->look->ctx;
	const char *rest = eds_dmarc_record_without(
		ctx, published->text, published->of_suffix ? suffixes : others);

	if (rest == NULL)
		return NULL;
	return rt_printf(ctx, "v=DMARC1; p=%s%s%s", eds_dmarc_policy_name(published->policy),
		rest[0] == '\0'          ? ""
			: rest[0] == ' ' ? ";"
					 : "; ",
		rest);
}

static bool names_address(const struct dmarc_look *dmarc, const char *address)
{
	for (size_t i = 0; i < dmarc->rua_count; i++)
		if (strcasecmp(dmarc->rua[i].address, address) == 0)
			return true;
	return false;
}

/* Adds findings about the report addresses of the record. */
static void say_reports(struct dmarc_look *dmarc)
{
	const struct eds_dmarc_published *published = &dmarc->published;
	const char *address = dmarc->look->question->report_address;
	const char *base = is_own(dmarc) ? published->text : record_of_its_own(dmarc);
	struct eds_posture_finding *finding;

	if (address == NULL && !published->tags.has_rua)
		eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-no-reports",
			"Add rua=mailto: with the address of a mailbox that you read.",
			"The record has no rua= address, so nobody learns who sends in the name "
			"of %s.",
			dmarc->look->domain);
	if (address == NULL || names_address(dmarc, address))
		return;
	finding = eds_look_find(dmarc->look, EDS_POSTURE_WARNING, "dmarc-reports-elsewhere",
		"Publish the record with this service's address added; leave the rest unchanged.",
		published->tags.has_rua
			? "Reports about %s are not sent to this service: rua= does not name this "
			  "service."
			: "No reports about %s are sent: the record has no rua= address.",
		dmarc->look->domain);
	if (base != NULL && published->exact && published->several == NULL)
		put_record(dmarc, finding,
			eds_dmarc_record_add_rua(dmarc->look->ctx, base, address),
			is_own(dmarc) ? published->text : NULL);
}

/* True when the answer for POLICY._report._dmarc.DESTINATION has a record that begins with
 * v=DMARC1, by which DESTINATION accepts reports about POLICY (RFC 7489 section 7.1, RFC 9990
 * section 4). */
static bool consents(const struct eds_dns_answer *answer)
{
	static const char version[] = "v=DMARC1";

	for (size_t i = 0; i < answer->count; i++)
		if (answer->records[i].txt_length >= strlen(version) &&
			memcmp(answer->records[i].txt, version, strlen(version)) == 0)
			return true;
	return false;
}

static const char *consent_name(
	const struct dmarc_look *dmarc, const struct eds_dmarc_destination *destination)
{
	return rt_printf(dmarc->look->ctx, "%s._report._dmarc.%s", dmarc->published.domain,
		destination->domain);
}

/* True when the destination may belong to another organization: it is neither the domain nor its
 * organizational domain. */
static bool is_foreign(
	const struct dmarc_look *dmarc, const struct eds_dmarc_destination *destination)
{
	return strcmp(destination->domain, dmarc->published.domain) != 0 &&
		strcmp(destination->domain, dmarc->published.org_domain) != 0;
}

static json_t *judge_foreign(
	struct dmarc_look *dmarc, const struct eds_dmarc_destination *destination)
{
	struct eds_look *look = dmarc->look;
	const char *name = rt_printf(
		look->ctx, "%s._report._dmarc.%s", dmarc->published.domain, destination->domain);
	const struct eds_dns_answer *answer = eds_dns_get(look->dns, name, EDS_DNS_TXT);
	struct eds_posture_finding *finding;

	if (answer->state == EDS_DNS_TEMPORARY) {
		eds_look_unanswered(look, "dmarc-destination-temporary", name);
		return json_null();
	}
	if (consents(answer))
		return json_true();
	finding = eds_look_find(look, EDS_POSTURE_WARNING, "dmarc-destination-unauthorized",
		"Ask the owner of the destination's domain to publish this record. Otherwise, "
		"remove the address from your own record.",
		"Reports to %s are not sent: %s does not declare that it accepts reports about %s "
		"(RFC 7489 section 7.1).",
		destination->address, destination->domain, dmarc->published.domain);
	finding->record = (struct eds_posture_record){
		.name = name, .type = "TXT", .value = "v=DMARC1;"};
	return json_false();
}

/* Judges whether reports to a destination are sent: a destination of another organization must
 * consent. Returns JSON null in two cases: DNS does not show whether the destination belongs to
 * another organization or whether it consents, or FOREIGN_MAX other destinations have been looked
 * up. */
static json_t *judge_destination(
	struct dmarc_look *dmarc, const struct eds_dmarc_destination *destination)
{
	struct eds_look *look = dmarc->look;
	const char *organization;

	if (!is_foreign(dmarc, destination))
		return json_true();
	if (dmarc->foreign++ >= FOREIGN_MAX ||
		!eds_dmarc_org_domain(look->ctx, look->dns, destination->domain, &organization))
		return json_null();
	if (strcmp(organization, dmarc->published.org_domain) == 0)
		return json_true();
	return judge_foreign(dmarc, destination);
}

/* Sends the questions about those of the first FOREIGN_MAX destinations that may belong to other
 * organizations: about their consent and their organizational domains. All are sent together, so
 * that their answers take only one round trip. */
static void ask_destinations(
	struct dmarc_look *dmarc, const struct eds_dmarc_destination *list, size_t count)
{
	struct eds_look *look = dmarc->look;

	for (size_t i = 0; i < count && i < FOREIGN_MAX; i++) {
		if (!is_foreign(dmarc, &list[i]))
			continue;
		eds_dns_start(look->dns, consent_name(dmarc, &list[i]), EDS_DNS_TXT);
		eds_dmarc_prefetch(look->ctx, look->dns, list[i].domain);
	}
}

static void judge_destinations(struct dmarc_look *dmarc, const char *tag,
	const struct eds_dmarc_destination *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_t *json = json_object();

		rt_json_set_text(dmarc->look->ctx, json, "tag", tag);
		rt_json_set_text(dmarc->look->ctx, json, "address", list[i].address);
		rt_json_set(json, "authorized", judge_destination(dmarc, &list[i]));
		rt_json_append(dmarc->destinations, json);
	}
}

static void say_record(struct dmarc_look *dmarc)
{
	struct eds_dmarc_destination ruf[EDS_DMARC_DESTINATIONS_MAX];
	const struct eds_dmarc_published *published = &dmarc->published;
	struct rt_ctx *ctx = dmarc->look->ctx;
	size_t ruf_count = eds_dmarc_destinations(ctx, published->text, "ruf", ruf);

	dmarc->rua_count = eds_dmarc_destinations(ctx, published->text, "rua", dmarc->rua);
	eds_look_show(dmarc->look, published->text, strlen(published->text));
	dmarc->look->item->published_at = rt_printf(ctx, "_dmarc.%s", published->domain);
	if (!published->usable) {
		eds_look_find(dmarc->look, EDS_POSTURE_ERROR, "dmarc-unusable",
			"Correct the record.",
			"The DMARC record of %s has neither a valid p= nor a valid rua=, so it "
			"has no effect.",
			published->domain);
		say_warnings(dmarc);
		return;
	}
	say_policy(dmarc);
	say_warnings(dmarc);
	say_reports(dmarc);
	ask_destinations(dmarc, dmarc->rua, dmarc->rua_count);
	ask_destinations(dmarc, ruf, ruf_count);
	judge_destinations(dmarc, "rua", dmarc->rua, dmarc->rua_count);
	judge_destinations(dmarc, "ruf", ruf, ruf_count);
}

static json_t *details(const struct dmarc_look *dmarc)
{
	const struct eds_dmarc_published *published = &dmarc->published;
	struct rt_ctx *ctx = dmarc->look->ctx;
	json_t *json = json_object();

	rt_json_set_text(ctx, json, "domain", published->domain);
	rt_json_set_text(ctx, json, "policy",
		published->found && published->usable ? eds_dmarc_policy_name(published->policy)
						      : NULL);
	rt_json_set_text(ctx, json, "organizationalDomain", published->org_domain);
	rt_json_set(json, "destinations", dmarc->destinations);
	return json;
}

void eds_look_dmarc(struct eds_look *look)
{
	struct dmarc_look *dmarc = rt_alloc(look->ctx, sizeof *dmarc);
	bool misspelt;

	dmarc->look = look;
	dmarc->destinations = json_array();
	eds_dmarc_find(look->ctx, look->dns, look->domain, &dmarc->published);
	if (dmarc->published.several != NULL)
		eds_look_find(look, EDS_POSTURE_ERROR, "dmarc-several-records", advice_several,
			"_dmarc.%s has several DMARC records, so receivers ignore all of them.",
			dmarc->published.several);
	misspelt = !is_own(dmarc) && say_misspelt(dmarc);
	if (dmarc->published.found)
		say_record(dmarc);
	else
		say_nothing_applies(dmarc, misspelt);
	look->item->details = details(dmarc);
}
