#include "functions/tester/advice/advice-message.h"
#include "functions/tester/advice/advice.h"
#include "functions/tester/requirements/requirements-form.h"
#include "runtime/time.h"

/* Advises on a sender domain that does not exist; offers no record, since such a domain cannot
 * publish one. */
static void advise_no_domain(struct advice_list *list, const struct analysis *analysis)
{
	bool envelope = analysis->mail_from != NULL && analysis->mail_from[0] != '\0';

	advice_add(list, ADVICE_ACTION, MX_NONE, "mx-no-domain",
		"%s, the domain of %s, does not exist in DNS: nothing can be delivered to it, and "
		"many receivers refuse mail from it. Let the sending program or server use %s "
		"under a domain of yours.",
		analysis->mx.domain,
		envelope ? "the envelope sender, to which bounces go" : "the From address",
		envelope ? "an envelope sender" : "a From address");
}

static void advise_no_mx(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_mx_result *mx = &analysis->mx;
	struct advice *item;

	if (mx->no_domain) {
		advise_no_domain(list, analysis);
		return;
	}
	if (!mx->implicit) {
		item = advice_add(list, ADVICE_ACTION, MX_NONE, "mx-missing",
			"%s has no MX record, so bounces and answers cannot be delivered. "
			"Publish one that names the server which receives its mail.",
			mx->domain);
		item->record = (struct advice_record){.name = mx->domain, .type = "MX"};
		return;
	}
	item = advice_add(list, ADVICE_ACTION, MX_NONE, "mx-implicit",
		"%s has no MX record. Senders fall back to its address record (RFC 5321 section "
		"5.1), but many receivers expect an MX record of a sender's domain. Publish the "
		"record given here if that host receives the domain's mail; otherwise publish one "
		"that names the host that receives it.",
		mx->domain);
	item->record = (struct advice_record){.name = mx->domain,
		.type = "MX",
		.value = rt_printf(list->ctx, "0 %s.", mx->domain)};
}

static void advise_alias(struct advice_list *list, const struct eds_mx_result *mx,
	enum advice_severity severity, enum tester_rule rule)
{
	size_t at = 0;

	while (!mx->exchanges[at].alias)
		at++;
	advice_add(list, severity, rule, "mx-alias",
		"The mail exchanger %s of %s is an alias (CNAME), which RFC 2181 section 10.3 "
		"forbids and some senders do not follow. Let the MX record name the host that the "
		"alias leads to.",
		mx->exchanges[at].name, mx->domain);
}

void advice_mx(struct advice_list *list, const struct analysis *analysis)
{
	const struct eds_mx_result *mx = &analysis->mx;

	if (mx->state == EDS_MX_STATE_NONE)
		advise_no_mx(list, analysis);
	else if (mx->state == EDS_MX_STATE_INVALID && mx->null_mx)
		advice_add(list, ADVICE_ACTION, MX_INVALID, "mx-null",
			"%s publishes a null MX: the record says that the domain accepts no mail, "
			"although the domain sends mail. Use a sender domain that can receive "
			"bounces.",
			mx->domain);
	else if (mx->state == EDS_MX_STATE_INVALID && mx->alias)
		advise_alias(list, mx, ADVICE_ACTION, MX_INVALID);
	else if (mx->state == EDS_MX_STATE_INVALID)
		advice_add(list, ADVICE_ACTION, MX_INVALID, "mx-unreachable",
			"No mail exchanger of %s has a public address. Let its MX records name "
			"hosts with an address record.",
			mx->domain);
	else if (mx->state == EDS_MX_STATE_UNKNOWN && mx->domain != NULL)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "mx-unknown",
			"The mail exchangers of %s could not be judged: %s." ADVICE_LATER,
			mx->domain, mx->reason);
	else if (mx->alias)
		advise_alias(list, mx, ADVICE_NOTE, TESTER_NO_RULE);
}

static void advise_date(struct advice_list *list, const struct headers_result *headers)
{
	if (headers->date == DATE_MISSING)
		advice_add(list, ADVICE_ACTION, MISSING_DATE, "date-missing",
			"The message has no Date field. Let the sending program or server add it.");
	else if (headers->date == DATE_FUTURE)
		advice_add(list, ADVICE_ACTION, DATE_IN_FUTURE, "date-in-future",
			"The Date field (%s) is in the future. Set the clock of the sending "
			"machine and its time zone.",
			rt_time_format(list->ctx, headers->date_ms));
	else if (headers->date == DATE_PAST)
		advice_add(list, ADVICE_ACTION, TESTER_NO_RULE, "date-in-past",
			"The Date field (%s) is days before the arrival of the message, which "
			"filters count against it. Let the program write the time of sending, and "
			"set the clock of its machine.",
			rt_time_format(list->ctx, headers->date_ms));
	else if (headers->date == DATE_UNREADABLE)
		advice_add(list, ADVICE_ACTION, MISSING_DATE, "date-unreadable",
			"The Date field cannot be read, so it counts as missing. Write it as "
			"RFC 5322 section 3.3 says: Fri, 20 Nov 2026 12:00:00 +0000.");
}

static void advise_message_id(struct advice_list *list, const struct analysis *analysis)
{
	if (!analysis->headers.message_id_missing)
		return;
	if (analysis->headers.handed_in)
		advice_add(list, ADVICE_ACTION, MISSING_MID, "message-id-missing",
			"The message has no Message-ID field. Let the program write one: no mail "
			"server has taken the message yet, and not every server adds the field. "
			"Gmail refuses mail that arrives without this field.");
	else
		advice_add(list, ADVICE_URGENT, MISSING_MID, "message-id-missing",
			"The message has no Message-ID field. Let the sending program or server "
			"write one. Until then Gmail refuses the message.");
}

/* Advises on faults of the form other than a missing Message-ID or Date. If all large providers
 * refuse the mail for one of these faults, advice_outlook() has the advice on the form instead. */
static void advise_form(struct advice_list *list, const struct analysis *analysis)
{
	const struct demand form = requirements_form_besides(list->ctx, analysis);

	if (form.state == DEMAND_MISSED && !form_is_refused_by_all(analysis))
		advice_add(list, ADVICE_ACTION, TESTER_NO_RULE, "message-form", "%s %s",
			form.evidence, form.advice);
	if (analysis->form.whole && !analysis->form.has_recipient)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "recipient-missing",
			"The message has neither To nor Cc. That is allowed, but filters count it "
			"against the message; name its recipient in To.");
	if (analysis->headers.subject_missing)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "subject-missing",
			"The message has no Subject. That is allowed, but filters count it against "
			"the message; let the program write one.");
}

static void advise_display_name(struct advice_list *list, const struct analysis *analysis)
{
	if (analysis_imitates(analysis))
		advice_add(list, ADVICE_ACTION, TESTER_NO_RULE, "from-name",
			"The name in From shows an address of %s, but the author's address is of "
			"%s, as in forged mail. Write a name there, or the author's own address; "
			"to get answers at another address, use Reply-To.",
			analysis->display_domain, analysis->from.domains[0]);
}

/* Adds one item for all parts of RFC 8058; its evidence is the first missing part. */
static void advise_unsubscribe(
	struct advice_list *list, const struct unsubscribe_result *unsubscribe)
{
	if (unsubscribe->whole.state == DEMAND_MISSED)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "list-unsubscribe",
			"%s Gmail and Yahoo demand one-click unsubscription (RFC 8058) of "
			"marketing mail from bulk senders: List-Unsubscribe with an https "
			"address, List-Unsubscribe-Post: List-Unsubscribe=One-Click, and both in "
			"h= of a valid DKIM signature, for Gmail one of the From domain. "
			"Personal mail does not need it.",
			unsubscribe->whole.evidence);
	else if (unsubscribe->button.state == DEMAND_MISSED)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "list-unsubscribe",
			"Unsubscribing takes one click (RFC 8058), but the signature that covers "
			"both fields is not of the From domain, so Gmail shows no button. Sign "
			"with the domain of From.");
	else if (unsubscribe->whole.state == DEMAND_MET)
		advice_add(list, ADVICE_GOOD, TESTER_NO_RULE, "list-unsubscribe-ok",
			"Unsubscribing takes one click, and a valid signature covers both "
			"fields (RFC 8058).");
}

void advice_headers(struct advice_list *list, const struct analysis *analysis)
{
	const struct headers_result *headers = &analysis->headers;

	advise_message_id(list, analysis);
	advise_date(list, headers);
	if (headers->limit[0] != '\0')
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "header-limit",
			"%s Let the sending program or server write a shorter header.",
			headers->limit);
	advise_display_name(list, analysis);
	advise_form(list, analysis);
	advise_unsubscribe(list, &analysis->unsubscribe);
}
