#include <string.h>

#include "runtime/event/event-mail.h"
#include "runtime/event/event.h"
#include "runtime/text/hex.h"
#include "runtime/time.h"

enum {
	ITEMS_MAX = 100,
	/* maximum number of wrappings; SQS around SNS around the notification are two */
	WRAPPINGS_MAX = 3,
};

struct reader {
	struct rt_ctx *ctx;
	struct rt_mail_item *items;
	size_t count;
	const char *sqs_id; /* SQS message id of the record being read; NULL outside SQS */
};

static rt_status read_notification(struct reader *reader, const json_t *event, int wrapping);

static rt_status odd(struct reader *reader, const char *what)
{
	return rt_fail(reader->ctx, RT_BAD_INPUT, "event-invalid",
		"the event is not inbound mail: %s", what);
}

static rt_status next_item(struct reader *reader, struct rt_mail_event **mail)
{
	if (reader->count == ITEMS_MAX)
		return odd(reader, "it has more than 100 messages");
	reader->items[reader->count] = (struct rt_mail_item){.sqs_id = reader->sqs_id};
	*mail = &reader->items[reader->count++].mail;
	(*mail)->comes_again = reader->sqs_id != NULL;
	return RT_OK;
}

/* Reads the addresses of a list, at most RT_MAIL_RECIPIENTS_MAX; returns their number. */
static size_t read_addresses(const json_t *list, const char **addresses)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(list) && count < RT_MAIL_RECIPIENTS_MAX; i++) {
		const char *address = json_string_value(json_array_get(list, i));

		if (address != NULL)
			addresses[count++] = address;
	}
	return count;
}

/* Reads the recipients: receipt.recipients has the recipients that the receipt rule matched,
 * mail.destination has all recipients (SES, "Contents of notifications"). */
static void read_recipients(struct rt_ctx *ctx, const json_t *ses_mail, const json_t *receipt,
	struct rt_mail_event *mail)
{
	const json_t *all = json_object_get(ses_mail, "destination");

	mail->recipient_count = read_addresses(
		json_object_get(receipt, "recipients"), mail->recipients);
	mail->destinations = rt_alloc_array(
		ctx, json_array_size(all) + 1, sizeof *mail->destinations);
	mail->destination_count = read_addresses(all, mail->destinations);
}

static void read_envelope(const json_t *envelope, struct rt_mail_event *mail)
{
	mail->has_envelope = json_is_object(envelope);
	if (!mail->has_envelope)
		return;
	mail->envelope.client_ip = rt_json_string(envelope, "clientIp");
	mail->envelope.helo = rt_json_string(envelope, "helo");
	mail->envelope.mail_from = rt_json_string(envelope, "mailFrom");
	mail->envelope.tls = rt_json_string(envelope, "tls");
	if (mail->envelope.mail_from != NULL)
		mail->mail_from = mail->envelope.mail_from;
}

/* SES writes the empty envelope sender as "" or "<>". */
static const char *sender_of(const json_t *ses_mail)
{
	const char *source = rt_json_string(ses_mail, "source");

	return source == NULL || strcmp(source, "<>") == 0 ? "" : source;
}

/* Reads an SES record. beside: the object to which the receiver adds the members
 * envelope and comesAgain. */
static rt_status read_ses(struct reader *reader, const json_t *ses, const json_t *beside)
{
	const json_t *ses_mail = json_object_get(ses, "mail");
	const json_t *receipt = json_object_get(ses, "receipt");
	const char *received_at = rt_json_string(receipt, "timestamp");
	struct rt_mail_event *mail;

	RT_TRY(next_item(reader, &mail));
	mail->message_id = rt_json_string(ses_mail, "messageId");
	if (mail->message_id == NULL)
		return odd(reader, "mail.messageId is missing");
	if (received_at == NULL)
		received_at = rt_json_string(ses_mail, "timestamp");
	if (received_at == NULL || !rt_time_parse(received_at, &mail->received_at_ms))
		return odd(reader, "receipt.timestamp is missing or is not a time");
	mail->mail_from = sender_of(ses_mail);
	read_recipients(reader->ctx, ses_mail, receipt, mail);
	read_envelope(json_object_get(beside, "envelope"), mail);
	mail->comes_again |= json_is_true(json_object_get(beside, "comesAgain"));
	return RT_OK;
}

/* The last part of an object key, decoded: the key is URL-encoded, with + for a space. */
static char *name_in_key(struct rt_ctx *ctx, const char *key)
{
	char *name = rt_strdup(ctx, key);
	char *to = name;
	char *slash;

	for (const char *from = key; *from != '\0'; from++) {
		if (from[0] == '%' && rt_hex_value(from[1]) >= 0 && rt_hex_value(from[2]) >= 0) {
			*to++ = (char)(rt_hex_value(from[1]) * 16 + rt_hex_value(from[2]));
			from += 2;
		} else {
			*to++ = *from == '+' ? ' ' : *from;
		}
	}
	*to = '\0';
	slash = strrchr(name, '/');
	return slash == NULL ? name : slash + 1;
}

static rt_status read_s3(struct reader *reader, const json_t *record)
{
	const json_t *object = json_object_get(json_object_get(record, "s3"), "object");
	const char *key = rt_json_string(object, "key");
	const char *time = rt_json_string(record, "eventTime");
	struct rt_mail_event *mail;

	RT_TRY(next_item(reader, &mail));
	if (key == NULL)
		return odd(reader, "s3.object.key is missing");
	if (time == NULL || !rt_time_parse(time, &mail->received_at_ms))
		return odd(reader, "eventTime is missing or is not a time");
	mail->message_id = name_in_key(reader->ctx, key);
	mail->mail_from = "";
	return RT_OK;
}

static rt_status read_wrapped(struct reader *reader, const char *text, int wrapping)
{
	json_t *inner;

	if (text == NULL || wrapping == WRAPPINGS_MAX)
		return odd(reader, "the notification is wrapped in an unknown way");
	RT_TRY(rt_json_parse(reader->ctx, text, strlen(text), &inner));
	return read_notification(reader, inner, wrapping + 1);
}

/* Reads one message of a batch. If the message is unreadable, adds an item that has only the id of
 * the message and the reason. Fails only if the message has no id or there are too many items. */
static rt_status read_queued(struct reader *reader, const json_t *record, int wrapping)
{
	size_t before = reader->count;
	struct rt_mail_event *mail;
	const char *odd;

	reader->sqs_id = rt_json_string(record, "messageId");
	if (read_wrapped(reader, rt_json_string(record, "body"), wrapping) == RT_OK)
		return RT_OK;
	if (reader->sqs_id == NULL || before == ITEMS_MAX)
		return reader->ctx->failure.category;
	odd = reader->ctx->failure.detail;
	rt_fail_clear(reader->ctx);
	reader->count = before;
	RT_TRY(next_item(reader, &mail));
	reader->items[before].odd = odd;
	return RT_OK;
}

static rt_status read_record(struct reader *reader, const json_t *record, int wrapping)
{
	const json_t *ses = json_object_get(record, "ses");

	if (ses != NULL)
		return read_ses(reader, ses, record);
	if (json_object_get(record, "s3") != NULL)
		return read_s3(reader, record);
	if (json_object_get(record, "Sns") != NULL)
		return read_wrapped(reader,
			rt_json_string(json_object_get(record, "Sns"), "Message"), wrapping);
	if (json_object_get(record, "body") != NULL)
		return read_queued(reader, record, wrapping);
	return odd(reader, "a record does not come from SES, SNS, SQS or S3");
}

static bool has_text(const json_t *event, const char *member, const char *value)
{
	const char *text = rt_json_string(event, member);

	return text != NULL && strcmp(text, value) == 0;
}

/* True for a notice that notifications were set up. An event with such a notice must not fail,
 * because a queue sends failed events again for a day. */
static bool is_setup(const json_t *event)
{
	return has_text(event, "Event", "s3:TestEvent") ||
		has_text(event, "notificationType", "AmazonSnsSubscriptionSucceeded");
}

static rt_status read_setup(struct reader *reader)
{
	struct rt_mail_event *mail;

	RT_TRY(next_item(reader, &mail));
	reader->items[reader->count - 1].is_setup = true;
	return RT_OK;
}

static rt_status read_notification(struct reader *reader, const json_t *event, int wrapping)
{
	const json_t *records = json_object_get(event, "Records");

	if (is_setup(event))
		return read_setup(reader);
	if (json_object_get(event, "receipt") != NULL)
		return read_ses(reader, event, event);
	if (rt_json_string(event, "Message") != NULL)
		return read_wrapped(reader, rt_json_string(event, "Message"), wrapping);
	if (!json_is_array(records) || json_array_size(records) == 0)
		return odd(reader, "Records is missing or empty");
	for (size_t i = 0; i < json_array_size(records); i++)
		RT_TRY(read_record(reader, json_array_get(records, i), wrapping));
	return RT_OK;
}

rt_status rt_event_mail(
	struct rt_ctx *ctx, const json_t *event, struct rt_mail_item **items, size_t *count)
{
	struct reader reader = {.ctx = ctx};

	reader.items = rt_arena_alloc_raw(ctx->arena, ITEMS_MAX * sizeof *reader.items);
	RT_TRY(read_notification(&reader, event, 0));
	*items = reader.items;
	*count = reader.count;
	return RT_OK;
}
