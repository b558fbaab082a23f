/* alerts-mail-send: every minute
 *
 * out   {"sent": 12, "failed": 1}: the numbers of mails that the relay accepted, and of those that
 *       it did not accept in this try
 *
 * Claims alerts whose mail is due, one after another, and sends the waiting events of an alert, as
 * many as one mail can hold, through EDS_ALERT_RELAY. Sends nothing without a relay. Any number of
 * runs may overlap. A mail that cannot be sent at the moment is tried again for a day, after pauses
 * that grow from a minute to two hours. A mail that the relay refuses for good is not tried again.
 * When the relay itself is unusable, the run ends without trying the other mails, so that no failed
 * try delays them.
 */
#include "functions/alerts/mail-text.h"
#include "functions/lib/fetch/relay.h"
#include "runtime/config/config.h"
#include "runtime/event/handler.h"
#include "runtime/json-format.h"
#include "runtime/log.h"
#include "runtime/time.h"

enum {
	PAUSE_MS = 60 * 1000,
	PAUSE_MAX_MS = 2 * 3600 * 1000,
	/* When less time than this is left, the run claims no further mail: sending a mail can take
	 * EDS_RELAY_MS. */
	CLAIM_MS = EDS_RELAY_MS + 5 * 1000,
};

struct run {
	struct eds_store *store;
	struct eds_relay *relay;
	size_t sent;
	size_t failed;
	bool goes_on;
};

static int64_t pause_ms(int64_t tries)
{
	int64_t pause = PAUSE_MS;

	for (int64_t i = 0; i < tries && pause < PAUSE_MAX_MS; i++)
		pause *= 2;
	return pause < PAUSE_MAX_MS ? pause : PAUSE_MAX_MS;
}

/* Sets the reason for a mail that the relay refused. The reason is shown to the owner and includes
 * the relay's reply, because this reply is about the owner's address or mail. The replies to mails
 * that are tried again are not shown. */
static void fail(struct rt_ctx *ctx, struct eds_alert_mail *mail,
	const struct eds_relay_answer *answer, const char *code, const char *what)
{
	mail->reason_code = code;
	mail->reason = answer->reply[0] != '\0'
		? rt_printf(ctx, "%s It answered: %s", what, answer->reply)
		: what;
}

static void judge(
	struct rt_ctx *ctx, const struct eds_relay_answer *answer, struct eds_alert_mail *mail)
{
	mail->status = answer->status;
	mail->outcome = EDS_OUTBOX_LATER;
	mail->next_at_ms = rt_wall_ms() + pause_ms(mail->tries);
	switch (answer->outcome) {
	case EDS_RELAY_TAKEN:
		mail->outcome = EDS_OUTBOX_DELIVERED;
		break;
	case EDS_RELAY_REFUSED:
		mail->outcome = EDS_OUTBOX_FAILED;
		mail->is_refused = true;
		fail(ctx, mail, answer, "receiver-refused",
			"The mail server does not accept mail for this address.");
		break;
	case EDS_RELAY_FAILED:
		mail->outcome = EDS_OUTBOX_FAILED;
		fail(ctx, mail, answer, "mail-refused", "The mail server refused this mail.");
		break;
	case EDS_RELAY_LATER:
		rt_log(ctx, RT_LOG_WARNING,
			"the relay currently accepts no mail for an address: %s", answer->reply);
		mail->reason_code = "receiver-later";
		mail->reason =
			"The mail server does not accept mail for this address at the moment.";
		break;
	case EDS_RELAY_AWAY:
		mail->status = 0;
		mail->reason_code = "relay-away";
		mail->reason = "The service cannot send mail at the moment.";
		break;
	}
}

static void send_mail(struct rt_ctx *ctx, struct run *run, struct eds_alert_mail *mail)
{
	struct eds_relay_answer answer;
	struct rt_buffer text;
	struct eds_relay_mail sent;

	alert_mail_write(ctx, mail, &text);
	sent = (struct eds_relay_mail){
		.from = alert_mail_from(ctx),
		.to = mail->address,
		.hello = alert_mail_domain(ctx),
		.text = text.bytes,
		.length = text.length,
	};
	eds_relay_send(run->relay, &sent, &answer);
	judge(ctx, &answer, mail);
	if (answer.outcome == EDS_RELAY_TAKEN)
		run->sent++;
	else
		run->failed++;
	if (answer.outcome == EDS_RELAY_AWAY) {
		rt_log(ctx, RT_LOG_WARNING, "EDS_ALERT_RELAY cannot be used: %s %s", answer.detail,
			answer.reply);
		run->goes_on = false;
	}
}

static rt_status send_next(struct rt_ctx *ctx, void *arg)
{
	struct run *run = arg;
	struct eds_alert_mail mail;

	RT_TRY(eds_store_alert_mail_claim(ctx, run->store, &mail, &run->goes_on));
	if (!run->goes_on)
		return RT_OK;
	RT_TRY(eds_store_alert_mail_load(ctx, run->store, &mail));
	if (mail.count > 0)
		send_mail(ctx, run, &mail);
	return eds_store_alert_mail_write(ctx, run->store, &mail);
}

static rt_status send_due(
	struct rt_ctx *ctx, const struct rt_schedule_event *event, json_t **answer)
{
	struct run run = {.goes_on = rt_config()->alert_relay.url[0] != '\0'};

	(void)event;
	RT_TRY(eds_store_open(ctx, &run.store));
	RT_TRY(eds_relay_new(ctx, &run.relay));
	while (run.goes_on && rt_remaining_ms(ctx) > CLAIM_MS)
		RT_TRY(rt_run_apart(ctx, send_next, &run));
	RT_TRY(eds_store_alert_mail_forget(ctx, run.store));
	*answer = json_object();
	rt_json_set(*answer, "sent", json_integer((json_int_t)run.sent));
	rt_json_set(*answer, "failed", json_integer((json_int_t)run.failed));
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_schedule(argc, argv, send_due);
}
