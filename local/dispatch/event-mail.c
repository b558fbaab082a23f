#include "local/dispatch/event-mail.h"
#include "runtime/time.h"

#include <string.h>
#include <time.h>

#include "local/dispatch/event-mail-fields.h"
#include "runtime/config/config.h"
#include "runtime/event/trace.h"
#include "runtime/host/json-write.h"
#include "runtime/mail-store/mailstore.h"

/* The time as in RFC 5322 section 3.3, in UTC: "Fri, 20 Nov 2026 11:21:30 +0000". */
static char *date_text(struct rt_ctx *ctx, int64_t wall_ms)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm utc;

	gmtime_r(&seconds, &utc);
	return rt_printf(ctx, "%s, %d %s %d %02d:%02d:%02d +0000", days[utc.tm_wday], utc.tm_mday,
		months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

/* The client as the Received field shows it, such as "unknown [192.0.2.1]" (RFC 5321 section
 * 4.1.3). */
static char *client_literal(struct rt_ctx *ctx, const char *ip)
{
	if (*ip == '\0')
		return rt_strdup(ctx, "unknown");
	return rt_printf(ctx, "unknown [%s%s]", strchr(ip, ':') != NULL ? "IPv6:" : "", ip);
}

char *event_mail_received(
	struct rt_ctx *ctx, const struct spool_mail *mail, const struct spool_target *target)
{
	return rt_printf(ctx, "Received: from %s (%s)\r\n\tby %s with %s id %s;\r\n\t%s\r\n",
		mail->helo[0] != '\0' ? mail->helo : "unknown",
		client_literal(ctx, mail->client_ip), rt_config()->tester_domain, mail->protocol,
		target->message_id, date_text(ctx, mail->received_at_ms));
}

rt_status event_mail_store(
	struct rt_ctx *ctx, const struct spool_mail *mail, const struct spool_target *target)
{
	char *received = event_mail_received(ctx, mail, target);
	const struct iovec parts[] = {
		{received, strlen(received)},
		{(void *)(uintptr_t)mail->message, mail->length},
	};

	return rt_mailstore_put(ctx, target->message_id, parts, 2, false);
}

static void write_member(struct rt_buffer *out, const char *name, const char *value)
{
	rt_buffer_format(out, ",\"%s\":", name);
	json_write_text(out, value);
}

/* Writes a member; null for an empty text, which means unknown or none. */
static void write_known(struct rt_buffer *out, const char *name, const char *value)
{
	if (*value != '\0')
		write_member(out, name, value);
	else
		rt_buffer_format(out, ",\"%s\":null", name);
}

static void write_recipients(
	struct rt_buffer *out, const char *name, const struct spool_target *target)
{
	rt_buffer_format(out, ",\"%s\":[", name);
	for (size_t i = 0; i < target->recipient_count; i++) {
		rt_buffer_text(out, i > 0 ? "," : "");
		json_write_text(out, target->recipients[i]);
	}
	rt_buffer_text(out, "]");
}

static void write_headers(struct rt_buffer *out, const struct event_fields *fields)
{
	rt_buffer_format(out, ",\"headersTruncated\":%s,\"headers\":[",
		fields->truncated ? "true" : "false");
	for (size_t i = 0; i < fields->count; i++) {
		rt_buffer_text(out, i > 0 ? ",{\"name\":" : "{\"name\":");
		json_write_text(out, fields->items[i].name);
		write_member(out, "value", fields->items[i].value);
		rt_buffer_text(out, "}");
	}
	rt_buffer_text(out, "]");
}

static void write_common_headers(
	struct rt_buffer *out, const struct event_fields *fields, const char *mail_from)
{
	static const struct {
		const char *field;
		const char *member;
		bool list;
	} common[] = {
		{"From", "from", true},
		{"To", "to", true},
		{"Cc", "cc", true},
		{"Reply-To", "replyTo", true},
		{"Date", "date", false},
		{"Message-ID", "messageId", false},
		{"Subject", "subject", false},
	};

	rt_buffer_text(out, ",\"commonHeaders\":{\"returnPath\":");
	json_write_text(out, mail_from);
	for (size_t i = 0; i < sizeof common / sizeof *common; i++) {
		const char *value = event_fields_find(fields, common[i].field);

		if (value == NULL)
			continue;
		rt_buffer_format(out, ",\"%s\":%s", common[i].member, common[i].list ? "[" : "");
		json_write_text(out, value);
		rt_buffer_text(out, common[i].list ? "]" : "");
	}
	rt_buffer_text(out, "}");
}

/* A timestamp with milliseconds, as SES writes it. */
static const char *timestamp(struct rt_ctx *ctx, int64_t wall_ms)
{
	char *seconds = rt_time_format(ctx, wall_ms);

	seconds[strlen(seconds) - 1] = '\0';
	return rt_printf(ctx, "%s.%03dZ", seconds, (int)(wall_ms % 1000));
}

/* Writes the member receipt. The verdicts on spam, viruses and authentication are GRAY, which means
 * that the receiver did not check: the functions verify SPF, DKIM and DMARC themselves. */
static void write_receipt(struct rt_ctx *ctx, struct rt_buffer *out, const struct spool_mail *mail,
	const struct spool_target *target)
{
	static const char *const verdicts[] = {
		"spamVerdict", "virusVerdict", "spfVerdict", "dkimVerdict", "dmarcVerdict"};

	rt_buffer_format(out, ",\"receipt\":{\"timestamp\":\"%s\",\"processingTimeMillis\":0",
		timestamp(ctx, mail->received_at_ms));
	write_recipients(out, "recipients", target);
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
		rt_buffer_format(out, ",\"%s\":{\"status\":\"GRAY\"}", verdicts[i]);
	rt_buffer_text(out, ",\"action\":{\"type\":\"Lambda\",\"invocationType\":\"Event\"");
	write_member(out, "functionArn", target->function);
	rt_buffer_text(out, "}}");
}

static void write_mail(struct rt_ctx *ctx, struct rt_buffer *out, const struct spool_mail *mail,
	const struct spool_target *target)
{
	struct event_fields *fields = rt_alloc(ctx, sizeof *fields);
	const char *received = event_mail_received(ctx, mail, target);

	event_fields_read(ctx, received, strlen(received), fields);
	event_fields_read(ctx, mail->message, mail->length, fields);
	rt_buffer_format(
		out, "\"mail\":{\"timestamp\":\"%s\"", timestamp(ctx, mail->received_at_ms));
	write_member(out, "source", mail->mail_from);
	write_member(out, "messageId", target->message_id);
	write_recipients(out, "destination", target);
	write_headers(out, fields);
	write_common_headers(out, fields, mail->mail_from);
	rt_buffer_text(out, "}");
}

static void write_envelope(struct rt_buffer *out, const struct spool_mail *mail)
{
	rt_buffer_text(out, ",\"envelope\":{\"mailFrom\":");
	json_write_text(out, mail->mail_from);
	write_known(out, "clientIp", mail->client_ip);
	write_known(out, "helo", mail->helo);
	write_known(out, "tls", mail->tls);
	rt_buffer_text(out, "}");
}

void event_mail_write(struct rt_ctx *ctx, struct rt_buffer *out, const struct spool_mail *mail,
	const struct spool_target *target, bool comes_again)
{
	char traceparent[RT_TRACEPARENT_LENGTH + 1];
	struct rt_trace trace;

	rt_trace_make(&trace);
	rt_trace_write(&trace, traceparent);
	rt_buffer_text(out,
		"{\"Records\":[{\"eventSource\":\"aws:ses\",\"eventVersion\":\"1.0\",\"ses\":{");
	write_mail(ctx, out, mail, target);
	write_receipt(ctx, out, mail, target);
	rt_buffer_text(out, "}");
	write_envelope(out, mail);
	rt_buffer_text(out, comes_again ? ",\"comesAgain\":true}]" : "}]");
	write_member(out, "traceparent", traceparent);
	rt_buffer_text(out, "}");
}
