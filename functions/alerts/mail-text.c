#include "functions/alerts/mail-text.h"
#include "runtime/time.h"
#include "runtime/uuid.h"

#include <string.h>
#include <time.h>

#include "functions/alerts/quoted-printable.h"
#include "functions/alerts/summary-text.h"
#include "functions/lib/store/alerts/alert-summary.h"
#include "runtime/config/config.h"
#include "runtime/json.h"
#include "runtime/text/utf8.h"

enum {
	DATE_BYTES = 64,
	/* a quarter of the mail: quoted-printable may triple the octets of the body, and it adds
	 * line ends */
	BODY_BYTES_MAX = ALERT_MAIL_BYTES_MAX / 4,
	/* maximum number of octets of the list of events; the rest of the body is for its first
	 * line and its footer */
	LIST_BYTES_MAX = BODY_BYTES_MAX - 4096,
	/* an invalid octet is replaced by U+FFFD, which has three octets */
	LINE_BYTES_MAX = 4 * ALERT_MAIL_VALUE_MAX,
	LINK_HOURS = EDS_ALERT_LINK_MS / (3600 * 1000),
};

/* The meaning of an event type, for the subject and the first line of a mail. */
static const struct {
	const char *type;
	const char *meaning;
} MEANINGS[] = {
	{"selector-broken", "a DKIM key is no longer valid"},
	{"selector-recovered", "a DKIM key is valid again"},
	{"key-changed", "a DKIM key has changed"},
	{"mta-sts-broken", "MTA-STS needs attention"},
	{"mta-sts-recovered", "MTA-STS works again"},
	{"posture-changed", "a record in DNS has changed"},
	{"dmarc-weakened", "the DMARC policy was weakened or removed"},
	{"mx-uncovered", "a mail server is missing from the MTA-STS policy"},
	{"mx-covered", "the MTA-STS policy covers all mail servers again"},
	{"certificate-expiring", "a certificate is about to expire"},
	{"certificate-renewed", "a certificate is no longer about to expire"},
	{"failures-rose", "more mail fails DMARC than usual"},
	{"failures-fell", "DMARC failures are back to normal"},
	{"reports-stopped", "DMARC reports have stopped"},
	{"reports-resumed", "DMARC reports arrive again"},
	{"new-source", "mail comes from a new source"},
	{"alerts-left-out", "more alerts were due than are sent in an hour"},
	{EDS_SUMMARY_EVENT, "weekly summary"},
	{"test", "test alert"},
};

struct event {
	const char *type;
	const char *at;
	const json_t *data;
	const char *domain; /* domain of the event; NULL when the event is not about one domain */
};

const char *alert_mail_domain(struct rt_ctx *ctx)
{
	return strchr(alert_mail_from(ctx), '@') + 1;
}

const char *alert_mail_from(struct rt_ctx *ctx)
{
	if (rt_config()->alert_from[0] != '\0')
		return rt_config()->alert_from;
	return rt_printf(ctx, "alerts@%s", rt_config()->tester_domain);
}

static const char *meaning_of(const char *type)
{
	for (size_t i = 0; i < sizeof MEANINGS / sizeof MEANINGS[0]; i++)
		if (strcmp(MEANINGS[i].type, type) == 0)
			return MEANINGS[i].meaning;
	return "something has changed";
}

static void add_visible(struct rt_buffer *line, const char *text, size_t octets)
{
	unsigned char c = (unsigned char)*text;

	if (c < ' ' || c == 0x7f)
		rt_buffer_text(line, " ");
	else if (octets == 0 || rt_utf8_is_harmful(rt_utf8_code(text, octets)))
		rt_buffer_text(line, RT_UTF8_REPLACEMENT);
	else
		rt_buffer_add(line, text, octets);
}

/* One line of printable characters: C0 controls, line ends among them, and DEL become spaces. C1
 * controls, the direction marks and line separators of Unicode, and octets that are not UTF-8
 * become U+FFFD. A text that is too long is cut after a whole character. */
static const char *one_line(struct rt_ctx *ctx, const char *text)
{
	size_t length = strnlen(text, ALERT_MAIL_VALUE_MAX);
	bool cut = text[length] != '\0';
	struct rt_buffer line;

	while (cut && length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	rt_buffer_init(&line, ctx, LINE_BYTES_MAX);
	for (size_t i = 0; i < length;) {
		size_t octets = rt_utf8_length(text + i, length - i);

		add_visible(&line, text + i, octets);
		i += octets > 0 ? octets : 1;
	}
	rt_buffer_text(&line, cut ? " …" : "");
	return line.bytes;
}

/* The text for a header field. Every character that is not printable ASCII becomes "?", so that no
 * octet can end the field or have a special meaning. */
static const char *header_text(struct rt_ctx *ctx, const char *text)
{
	char *line = rt_strdup(ctx, one_line(ctx, text));

	for (char *c = line; *c != '\0'; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return line;
}

static void read_event(
	struct rt_ctx *ctx, const struct eds_alert_mail_event *stored, struct event *event)
{
	json_t *json = NULL;

	*event = (struct event){
		.type = stored->type, .at = rt_time_format(ctx, stored->created_at_ms)};
	if (rt_json_parse(ctx, stored->body, strlen(stored->body), &json) != RT_OK) {
		rt_fail_clear(ctx);
		return;
	}
	event->data = json_object_get(json, "data");
	event->domain = rt_json_string(event->data, "domain");
	if (rt_json_string(json, "timestamp") != NULL)
		event->at = rt_json_string(json, "timestamp");
}

static bool is_summary(const struct event *event)
{
	return strcmp(event->type, EDS_SUMMARY_EVENT) == 0;
}

static const char *subject_of(struct rt_ctx *ctx, const struct event *events, size_t count)
{
	const char *domain = events[0].domain;

	if (count == 1 && is_summary(&events[0]))
		return alert_summary_subject(ctx, events[0].data);
	for (size_t i = 1; i < count; i++)
		if (domain == NULL || events[i].domain == NULL ||
			strcmp(domain, events[i].domain) != 0)
			return rt_printf(ctx, "%zu changes to your domains", count);
	if (count > 1)
		return rt_printf(ctx, "%s: %zu changes", domain, count);
	return rt_printf(
		ctx, "%s: %s", domain != NULL ? domain : "eds", meaning_of(events[0].type));
}

static const char *link_of(
	struct rt_ctx *ctx, const struct eds_alert_mail *mail, const char *what, const char *token)
{
	return rt_printf(
		ctx, "%s/alerts/%s/%s?key=%s", rt_config()->base_url, mail->alert_id, what, token);
}

static void write_date(struct rt_buffer *out)
{
	time_t now = (time_t)(rt_wall_ms() / 1000);
	char date[DATE_BYTES];
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S +0000", &tm);
	rt_buffer_format(out, "Date: %s\r\n", date);
}

/* The Message-ID. The same events get the same id: when the relay's answer is lost and the mail is
 * sent twice, the receiver can drop one. A mail that asks for confirmation gets a new id in each
 * try, because each try has a new link. */
static const char *message_id(struct rt_ctx *ctx, const struct eds_alert_mail *mail)
{
	if (mail->token != NULL)
		return rt_uuid(ctx);
	return rt_printf(ctx, "%s.%zu.%s", mail->events[0].id, mail->count,
		mail->events[mail->count - 1].id);
}

static void write_header(struct rt_ctx *ctx, const struct eds_alert_mail *mail, const char *subject,
	struct rt_buffer *out)
{
	rt_buffer_format(out, "From: eds <%s>\r\n", header_text(ctx, alert_mail_from(ctx)));
	rt_buffer_format(out, "To: %s\r\n", header_text(ctx, mail->address));
	rt_buffer_format(out, "Subject: %s\r\n", header_text(ctx, subject));
	write_date(out);
	rt_buffer_format(out, "Message-ID: <%s@%s>\r\n", message_id(ctx, mail),
		header_text(ctx, alert_mail_domain(ctx)));
	rt_buffer_text(out, "Auto-Submitted: auto-generated\r\n");
	rt_buffer_format(out, "List-Unsubscribe: <%s>\r\n",
		header_text(ctx, link_of(ctx, mail, "off", mail->secret)));
	rt_buffer_text(out, "List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n");
	rt_buffer_text(out, "MIME-Version: 1.0\r\n");
	rt_buffer_text(out, "Content-Type: text/plain; charset=utf-8\r\n");
	rt_buffer_text(out, "Content-Transfer-Encoding: quoted-printable\r\n\r\n");
}

static void write_member(
	struct rt_ctx *ctx, struct rt_buffer *body, const char *label, const char *text)
{
	if (text != NULL && text[0] != '\0')
		rt_buffer_format(body, "%s: %s\n", label, one_line(ctx, text));
}

/* Formats "2026-01-31T23:59:59Z" as "2026-01-31 23:59 UTC". */
static const char *time_words(struct rt_ctx *ctx, const char *at)
{
	int64_t wall_ms;

	if (!rt_time_parse(at, &wall_ms))
		return at;
	at = rt_time_format(ctx, wall_ms);
	return rt_printf(ctx, "%.10s %.5s UTC", at, at + 11);
}

static void write_event(struct rt_ctx *ctx, struct rt_buffer *body, const struct event *event)
{
	const char *domain_id = rt_json_string(event->data, "domainId");

	if (is_summary(event)) {
		alert_summary_write(ctx, body, event->data);
		return;
	}
	rt_buffer_text(body, "\n");
	write_member(ctx, body, "Domain", event->domain);
	write_member(ctx, body, "What happened", rt_json_string(event->data, "what"));
	write_member(ctx, body, "Noticed", time_words(ctx, event->at));
	write_member(ctx, body, "Record before",
		rt_json_string(json_object_get(event->data, "before"), "record"));
	write_member(ctx, body, "Record now",
		rt_json_string(json_object_get(event->data, "after"), "record"));
	write_member(ctx, body, "What to do", rt_json_string(event->data, "advice"));
	if (event->domain != NULL && domain_id != NULL)
		write_member(ctx, body, "Details",
			rt_printf(ctx, "%s/#/domains/%s", rt_config()->base_url, domain_id));
}

static void write_end(struct rt_ctx *ctx, const struct eds_alert_mail *mail, struct rt_buffer *body)
{
	rt_buffer_format(body,
		"\n-- \nThis mail was sent by eds at %s to %s.\nTo stop these mails: %s\n",
		rt_config()->base_url, mail->address, link_of(ctx, mail, "off", mail->secret));
}

/* Writes as many whole events as fit into one mail; returns their number. */
static size_t write_those_with_room(
	struct rt_ctx *ctx, struct rt_buffer *list, const struct event *events, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t before = list->length;

		write_event(ctx, list, &events[i]);
		if (list->overflow) {
			list->length = before;
			return i;
		}
	}
	return count;
}

static const char *write_events(
	struct rt_ctx *ctx, struct eds_alert_mail *mail, struct rt_buffer *body)
{
	struct event *events = rt_alloc_array(ctx, mail->count, sizeof *events);
	struct rt_buffer list;
	const char *subject;

	for (size_t i = 0; i < mail->count; i++)
		read_event(ctx, &mail->events[i], &events[i]);
	rt_buffer_init(&list, ctx, LIST_BYTES_MAX);
	mail->count = write_those_with_room(ctx, &list, events, mail->count);
	subject = subject_of(ctx, events, mail->count);
	rt_buffer_format(body, "%s.\n", one_line(ctx, subject));
	rt_buffer_add(body, list.bytes, list.length);
	return subject;
}

static const char *write_question(
	struct rt_ctx *ctx, const struct eds_alert_mail *mail, struct rt_buffer *body)
{
	const char *domain = mail->domain != NULL ? mail->domain : "any domain of their account";

	rt_buffer_format(body,
		"Someone who uses eds at %s asked for alerts to be sent to this address, %s, when "
		"the mail setup of %s changes.\n\nIf you want these alerts, open this link within "
		"%d hours and confirm:\n\n%s\n\nIf you did not ask for them, ignore this mail: "
		"without your confirmation no alerts are sent.\n",
		rt_config()->base_url, mail->address, domain, LINK_HOURS,
		link_of(ctx, mail, "confirm", mail->token));
	return "Do you want alerts by mail? Please confirm";
}

void alert_mail_write(struct rt_ctx *ctx, struct eds_alert_mail *mail, struct rt_buffer *out)
{
	struct rt_buffer body;
	const char *subject;

	rt_buffer_init(&body, ctx, BODY_BYTES_MAX);
	subject = mail->token != NULL ? write_question(ctx, mail, &body)
				      : write_events(ctx, mail, &body);
	write_end(ctx, mail, &body);
	rt_buffer_init(out, ctx, ALERT_MAIL_BYTES_MAX);
	write_header(ctx, mail, subject, out);
	quoted_printable_write(out, body.bytes, body.length);
}
