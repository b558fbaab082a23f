#include "functions/tester/requirements/outlook.h"
#include "runtime/json-format.h"
#include "runtime/time.h"

#include <string.h>

#include "functions/tester/analysis.h"
#include "functions/tester/mailbox-provider.h"
#include "functions/tester/requirements/requirements-form.h"
#include "functions/tester/requirements/widely-verified.h"

/* Large providers refuse the mail of any sender that violates one of these requirements. For each
 * requirement, the table has the end of the sentence that says so. */
static const struct {
	enum requirement requirement;
	const char *sentence; /* end of "Gmail and Yahoo refuse mail …" */
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

/* Adds a risk for fields that a submission server may still add: most senders have a server that
 * adds them. */
static void judge_unsent(struct rt_ctx *ctx, const struct analysis *analysis,
	const struct demand *demand, struct outlook *outlook)
{
	eds_finding_add(ctx, &outlook->at_risk, requirement_name(REQUIRE_FORM), "%s %s",
		demand->evidence,
		analysis->headers.message_id_missing
			? "If yours does not, Gmail refuses the message."
			: "If yours does not, receivers count it against the message.");
}

/* Adds the reason that the client's address is not known or not public. The advice is to send the
 * message from a public address: analyzing it again would not help. */
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

/* True if judge_client() covers the requirement: it cannot be judged without the client's address.
 */
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
	else if (demand->state == DEMAND_UNDECIDED && requirement == REQUIRE_FORM &&
		form_waits_for_server(analysis))
		judge_unsent(ctx, analysis, demand, outlook);
	else if (demand->state == DEMAND_MISSED)
		eds_finding_add(ctx, &outlook->refused, requirement_name(requirement),
			"%s refuse%s mail %s. %s", refusers,
			strchr(refusers, ' ') != NULL ? "" : "s", decisive[i].sentence,
			demand->evidence);
	else if (demand->state == DEMAND_UNDECIDED && requirement != REQUIRE_TLS &&
		!is_said(analysis, requirement))
		/* An undecided demand for TLS is left out: a second analysis learns nothing new
		 * about TLS, and nearly all senders use it. */
		eds_finding_add(ctx, &outlook->undecided, requirement_name(requirement), "%s",
			demand->evidence);
}

/* The sentence that says which receivers apply a milder policy. Receivers that know only RFC 7489
 * ignore t=, and those that follow RFC 9989 ignore pct=. The outlook is based on the published
 * policy, since some receivers apply the published policy and not the milder one. */
static const char *who_is_milder(struct rt_ctx *ctx, const struct eds_dmarc_result *dmarc)
{
	bool reject = dmarc->published == EDS_DMARC_P_REJECT;
	int percent = dmarc->tags.percent;

	if (dmarc->tags.testing)
		return reject ? " t=y asks for the spam folder instead, but receivers that only "
				"know the older RFC 7489 ignore t=y."
			      : " t=y asks them to deliver it, but receivers that only know the "
				"older RFC 7489 ignore t=y.";
	if (percent >= 0 && percent < 100)
		return rt_printf(ctx,
			" pct= limits this request to %d %% of such mail, but receivers that "
			"follow RFC 9989 ignore pct=.",
			percent);
	return "";
}

static void judge_policy(struct rt_ctx *ctx, const struct eds_dmarc_result *dmarc,
	const char *cause, struct outlook *outlook)
{
	bool reject = dmarc->published == EDS_DMARC_P_REJECT;

	if (dmarc->published == EDS_DMARC_P_NONE)
		return;
	eds_finding_add(ctx, reject ? &outlook->refused : &outlook->at_risk, "policy",
		"%s, and the policy of %s asks receivers to %s.%s", cause, dmarc->record_domain,
		reject ? "reject such mail" : "put such mail into the spam folder",
		who_is_milder(ctx, dmarc));
}

static void judge_dmarc(
	struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	const struct eds_dmarc_result *dmarc = &analysis->dmarc;

	/* If the policy is known to be none, no result of DMARC makes a receiver refuse the mail.
	 */
	if (dmarc->code == EDS_DMARC_TEMPERROR &&
		!(dmarc->has_record && dmarc->policy == EDS_DMARC_P_NONE))
		eds_finding_add(ctx, &outlook->undecided, "dmarc", "DMARC could not be decided: %s",
			dmarc->reason);
	if (dmarc->no_such_domain)
		eds_finding_add(ctx, &outlook->at_risk, "from-domain",
			"The From domain does not exist in DNS, and many receivers refuse such "
			"mail.");
	if (dmarc->code == EDS_DMARC_FAIL && dmarc->published == EDS_DMARC_P_NONE &&
		is_mailbox_provider(analysis->from.domains[0]))
		eds_finding_add(ctx, &outlook->at_risk, "from-mailbox-provider",
			"From names an address of %s, but DMARC failed for it: receivers, its "
			"provider first, put such mail into the spam folder whatever the policy "
			"says.",
			analysis->from.domains[0]);
	else if (dmarc->code == EDS_DMARC_FAIL)
		judge_policy(ctx, dmarc, "DMARC failed", outlook);
	else if (dmarc->code == EDS_DMARC_PASS && passes_by_ed25519_alone(analysis))
		judge_policy(ctx, dmarc,
			"DMARC passes through an Ed25519 signature alone, which Gmail and other "
			"large receivers do not verify: for them DMARC fails",
			outlook);
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

/* Judges Date by the rules of common filters: SpamAssassin's DATE_IN_PAST_96_XX,
 * DATE_IN_FUTURE_03_06 and the rules for later dates; rspamd's DATE_IN_PAST and DATE_IN_FUTURE. */
static void judge_date(struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	const struct headers_result *headers = &analysis->headers;
	bool future = headers->date == DATE_FUTURE &&
		headers->date_ms > analysis->received_at_ms + DATE_FAR_FUTURE_MS;

	if (future || headers->date == DATE_PAST)
		eds_finding_add(ctx, &outlook->at_risk, "date",
			"The Date field says %s, long %s the message arrived, and filters count "
			"that against it.",
			rt_time_format(ctx, headers->date_ms), future ? "after" : "before");
}

/* Judges an address in From's display name, as common filters do (rspamd's SPOOF_DISPLAY_NAME,
 * SpamAssassin's PDS_FROM_2_EMAILS); Gmail also warns the reader about such an address. */
static void judge_display_name(
	struct rt_ctx *ctx, const struct analysis *analysis, struct outlook *outlook)
{
	if (analysis_imitates(analysis))
		eds_finding_add(ctx, &outlook->at_risk, "from-name",
			"The name in From shows an address of %s, but the author's address is of "
			"%s: receivers take this for forgery, and warn of it or put the message "
			"into the spam folder.",
			analysis->display_domain, analysis->from.domains[0]);
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
	judge_dmarc(ctx, analysis, outlook);
	judge_sender_domain(ctx, analysis, outlook);
	for (size_t i = 0; i < DECISIVE; i++)
		judge_requirement(ctx, analysis, i, outlook);
	judge_date(ctx, analysis, outlook);
	judge_display_name(ctx, analysis, outlook);
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
