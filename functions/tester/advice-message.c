/* Advice on the sender's domain as a receiver of mail, and on the message's own header. */
#include "functions/tester/advice.h"

static void advise_no_mx(struct advice_list *list, const struct mx_result *mx)
{
	struct advice *item;

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
		"5.1), but many receivers expect an MX record of a sender's domain.",
		mx->domain);
	item->record = (struct advice_record){.name = mx->domain,
		.type = "MX",
		.value = rt_printf(list->ctx, "0 %s.", mx->domain)};
}

void advice_mx(struct advice_list *list, const struct analysis *analysis)
{
	const struct mx_result *mx = &analysis->mx;

	if (mx->state == MX_STATE_NONE)
		advise_no_mx(list, mx);
	else if (mx->state == MX_STATE_INVALID && mx->null_mx)
		advice_add(list, ADVICE_ACTION, MX_INVALID, "mx-null",
			"%s publishes a null MX: it says that it takes no mail, yet it sends. "
			"Use a sender domain that can receive bounces.",
			mx->domain);
	else if (mx->state == MX_STATE_INVALID)
		advice_add(list, ADVICE_ACTION, MX_INVALID, "mx-unreachable",
			"No mail exchanger of %s has a public address. Let its MX records name "
			"hosts with an address record.",
			mx->domain);
	else if (mx->state == MX_STATE_UNKNOWN && mx->domain != NULL)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "mx-unknown",
			"The mail exchangers of %s could not be judged: %s.", mx->domain,
			mx->reason);
}

static void advise_date(struct advice_list *list, const struct headers_result *headers)
{
	if (headers->date == DATE_MISSING)
		advice_add(list, ADVICE_ACTION, MISSING_DATE, "date-missing",
			"The message has no Date field. Let the sending program or server add it.");
	else if (headers->date == DATE_FUTURE)
		advice_add(list, ADVICE_ACTION, DATE_IN_FUTURE, "date-in-future",
			"The Date field (%s) lies in the future. Set the clock of the sending "
			"machine and its time zone.",
			rt_time_format(list->ctx, headers->date_ms));
	else if (headers->date == DATE_UNREADABLE)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "date-unreadable",
			"The Date field does not have the form of RFC 5322 section 3.3.");
}

void advice_headers(struct advice_list *list, const struct analysis *analysis)
{
	const struct headers_result *headers = &analysis->headers;

	if (headers->message_id_missing)
		advice_add(list, ADVICE_ACTION, MISSING_MID, "message-id-missing",
			"The message has no Message-ID field. Let the sending program or server "
			"add it.");
	advise_date(list, headers);
	if (headers->limit[0] != '\0')
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "header-limit", "%s", headers->limit);
	if (!headers->list_unsubscribe || !headers->one_click)
		advice_add(list, ADVICE_NOTE, TESTER_NO_RULE, "list-unsubscribe",
			"Bulk mail needs List-Unsubscribe and List-Unsubscribe-Post (RFC 8058): "
			"large mailbox providers require one-click unsubscription of bulk "
			"senders.");
}
