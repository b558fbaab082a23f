#include "functions/tester/report/second-opinion.h"
#include "functions/tester/report/second-opinion-read.h"

#include <string.h>

#include "runtime/config/config.h"

enum {
	STATUS_OK = 200,
	RECIPIENTS_MAX = 5, /* maximum number of recipients sent to rspamd */
	FIELD_MAX = 1000,   /* maximum number of octets of a header field sent to rspamd */
};

/* True if the value may be sent in a header field. A value from the sender may contain line ends,
 * which would add fields to our request. */
static bool is_sendable(const char *value)
{
	size_t length = strnlen(value, FIELD_MAX + 1);

	if (length == 0 || length > FIELD_MAX)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((unsigned char)value[i] < ' ' || value[i] == 127)
			return false;
	return true;
}

static void add_field(
	struct rt_ctx *ctx, struct eds_ask_question *ask, const char *name, const char *value)
{
	if (is_sendable(value) && ask->field_count < EDS_ASK_FIELDS_MAX)
		ask->fields[ask->field_count++] = rt_printf(ctx, "%s: %s", name, value);
}

void second_opinion_word(
	struct rt_ctx *ctx, const struct opinion_question *question, struct eds_ask_question *ask)
{
	*ask = (struct eds_ask_question){
		.url = rt_printf(ctx, "%s/checkv2", rt_config()->rspamd),
		.body = question->message,
		.body_bytes = question->length,
		.answer_bytes_max = OPINION_ANSWER_BYTES_MAX,
		.time_ms = OPINION_TIME_MS,
	};
	add_field(ctx, ask, "IP", question->client_ip);
	add_field(ctx, ask, "Hostname", question->hostname);
	add_field(ctx, ask, "Helo", question->helo);
	add_field(ctx, ask, "From", question->mail_from[0] != '\0' ? question->mail_from : "<>");
	for (size_t i = 0; i < question->recipient_count && i < RECIPIENTS_MAX; i++)
		add_field(ctx, ask, "Rcpt", question->recipients[i]);
}

bool second_opinion_wanted(void)
{
	return rt_config()->rspamd[0] != '\0';
}

struct eds_ask *second_opinion_begin(struct rt_ctx *ctx, const struct opinion_question *question)
{
	struct eds_ask_question ask;

	second_opinion_word(ctx, question, &ask);
	return eds_ask_begin(ctx, &ask);
}

void second_opinion_end(struct rt_ctx *ctx, struct eds_ask *ask, struct second_opinion *opinion)
{
	struct eds_ask_answer answer;

	memset(opinion, 0, sizeof *opinion);
	opinion->asked = ask != NULL;
	if (ask == NULL)
		return;
	eds_ask_end(ask, &answer);
	if (answer.status == 0)
		opinion->failure = rt_printf(ctx, "The rspamd of this service %s.", answer.failure);
	else if (answer.status != STATUS_OK)
		opinion->failure = rt_printf(
			ctx, "The rspamd of this service answered with status %d.", answer.status);
	else if (!second_opinion_read(ctx, answer.body, answer.length, opinion))
		opinion->failure = "The rspamd of this service gave an answer that makes no sense.";
}
