#include "functions/tester/requirements/outlook.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/tester/analysis.h"
#include "functions/tester/requirements/requirements-form.h"

/* The requirements for which large providers refuse any sender's mail, with the end of the sentence
 * that says so. */
static const struct {
	enum requirement requirement;
	const char *sentence; /* "Gmail and Yahoo refuse mail …" */
} decisive[] = {
	{REQUIRE_SPF_OR_DKIM, "that passes neither SPF nor DKIM"},
	{REQUIRE_PTR, "from an address without a reverse name that resolves back to it"},
	{REQUIRE_TLS, "that comes over a connection without TLS"},
	{REQUIRE_FORM, "that violates RFC 5322"},
};

enum { DECISIVE = sizeof decisive / sizeof *decisive };

static void judge_form(struct rt_ctx *ctx, const struct analysis *analysis,
	const struct demand *demand, struct outlook *outlook)
{
	const char *refusers = form_refusers(analysis);

	if (refusers != NULL)
		eds_finding_add(ctx, &outlook->refused, requirement_name(REQUIRE_FORM),
			"%s refuse%s mail that violates RFC 5322. %s", refusers,
			strchr(refusers, ' ') != NULL ? "" : "s", demand->evidence);
	else
		eds_finding_add(ctx, &outlook->at_risk, requirement_name(REQUIRE_FORM),
			"Receivers may refuse the message for its form. %s", demand->evidence);
}

/* Analyzing the message again would not help; a message sent from a public address would. */
static void judge_client(
	struct rt_ctx *ctx, const struct eds_client *client, struct outlook *outlook)
{
	char ip[RT_IP_TEXT_MAX];

	rt_ip_format(&client->ip, ip);
	eds_finding_add(ctx, &outlook->undecided, "client",
		"%s%s%s, so SPF, reverse DNS and blocklists cannot be judged. " CLIENT_WAY_OUT,
		ip[0] != '\0' ? "The message came from "
			      : "The address that sent the message is not known",
		ip, ip[0] != '\0' ? ", which is not a public Internet address" : "");
}

/* Whether judge_client() covers the requirement: without the client's address it is open. */
static bool is_said(const struct analysis *analysis, enum requirement requirement)
{
	return !analysis->client.is_public &&
		(requirement == REQUIRE_PTR || requirement == REQUIRE_SPF_OR_DKIM);
}

static void judge_requirement(
	struct rt_ctx *ctx, const struct analysis *analysis, size_t i, struct outlook *outlook)
{
	enum requirement requirement = decisive[i].requirement;
	const struct demand *demand = &analysis->requirements.demands[requirement][PROVIDER_GMAIL];
	const char *refusers = requirement_refusers(requirement);

	if (demand->state == DEMAND_MISSED && requirement == REQUIRE_FORM)
		judge_form(ctx, analysis, demand, outlook);
	else if (demand->state == DEMAND_MISSED)
		eds_finding_add(ctx, &outlook->refused, requirement_name(requirement),
			"%s refuse%s mail %s. %s", refusers,
			strchr(refusers, ' ') != NULL ? "" : "s", decisive[i].sentence,
			demand->evidence);
	else if (demand->state == DEMAND_UNDECIDED && requirement != REQUIRE_TLS &&
		!is_said(analysis, requirement))
		/* Not for TLS: a second analysis learns no more of it, and few senders lack it. */
		eds_finding_add(ctx, &outlook->undecided, requirement_name(requirement), "%s",
			demand->evidence);
}

static void judge_dmarc(
	struct rt_ctx *ctx, const struct eds_dmarc_result *dmarc, struct outlook *outlook)
{
	/* Under a known policy of none, no result of DMARC makes a receiver refuse the mail. */
	if (dmarc->code == EDS_DMARC_TEMPERROR &&
		!(dmarc->has_record && dmarc->policy == EDS_DMARC_P_NONE))
		eds_finding_add(ctx, &outlook->undecided, "dmarc", "DMARC could not be decided: %s",
			dmarc->reason);
	if (dmarc->no_such_domain)
		eds_finding_add(ctx, &outlook->at_risk, "from-domain",
			"The From domain does not exist in DNS, and many receivers refuse such "
			"mail.");
	if (dmarc->code != EDS_DMARC_FAIL)
		return;
	if (dmarc->policy == EDS_DMARC_P_REJECT)
		eds_finding_add(ctx, &outlook->refused, "policy",
			"DMARC failed, and the policy of %s asks receivers to reject such mail.",
			dmarc->record_domain);
	else if (dmarc->policy == EDS_DMARC_P_QUARANTINE)
		eds_finding_add(ctx, &outlook->at_risk, "policy",
			"DMARC failed, and the policy of %s asks receivers to put such mail into "
			"the spam folder.",
			dmarc->record_domain);
}

static void judge_sender_domain(
	struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	if (analysis->mail_from[0] == '\0')
		return;
	if (analysis->mx.null_mx)
		eds_finding_add(ctx, &outlook->at_risk, "sender-domain",
			"The envelope sender's domain %s says with a null MX that it takes no "
			"mail, and receivers may refuse mail from it (RFC 7505 section 4.2).",
			analysis->mx.domain);
	else if (analysis->mx.no_domain)
		eds_finding_add(ctx, &outlook->at_risk, "sender-domain",
			"The envelope sender's domain %s does not exist in DNS, and many receivers "
			"refuse such mail.",
			analysis->mx.domain);
}

static void judge_lists(
	struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	for (size_t i = 0; i < RT_DNSBL_KINDS; i++)
		if (analysis->lists[i].state == EDS_DNSBL_LISTED)
			eds_finding_add(ctx, &outlook->at_risk, "blocklist",
				"The sending address is on the %s blocklist.",
				analysis->lists[i].label);
}

static void judge_score(
	struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	int tenths = tester_score_tenths(&analysis->score);
	enum tester_verdict verdict = tester_verdict(tenths);

	if (verdict != TESTER_HAM)
		eds_finding_add(ctx, &outlook->at_risk, "score",
			"The spam score of %d.%d lies in the range of %sspam.", tenths / 10,
			tenths % 10, verdict == TESTER_PROBABLE_SPAM ? "probable " : "");
}

void outlook_judge(struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	memset(outlook, 0, sizeof *outlook);
	if (!analysis->client.is_public)
		judge_client(ctx, &analysis->client, outlook);
	judge_dmarc(ctx, &analysis->dmarc, outlook);
	judge_sender_domain(ctx, analysis, outlook);
	for (size_t i = 0; i < DECISIVE; i++)
		judge_requirement(ctx, analysis, i, outlook);
	judge_lists(ctx, analysis, outlook);
	judge_score(ctx, analysis, outlook);
	if (outlook->refused.count > 0)
		outlook->state = OUTLOOK_REFUSED;
	else if (outlook->undecided.count > 0)
		outlook->state = OUTLOOK_UNDECIDED;
	else if (outlook->at_risk.count > 0)
		outlook->state = OUTLOOK_AT_RISK;
}

static void add_all(struct rt_ctx *ctx, json_t *array, const struct eds_findings *findings)
{
	json_array_extend(array, eds_findings_json(ctx, findings));
}

json_t *outlook_json(struct rt_ctx *ctx, const struct outlook *outlook)
{
	static const char *const states[] = {"good", "at-risk", "undecided", "refused"};
	json_t *object = json_object();
	json_t *reasons = json_array();

	add_all(ctx, reasons, &outlook->refused);
	add_all(ctx, reasons, &outlook->undecided);
	add_all(ctx, reasons, &outlook->at_risk);
	rt_json_set_text(ctx, object, "state", states[outlook->state]);
	rt_json_set(object, "reasons", reasons);
	return object;
}
