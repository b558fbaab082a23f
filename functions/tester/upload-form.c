#include "functions/tester/upload-form.h"
#include "runtime/event/event-http.h"

#include <string.h>
#include <strings.h>

#include "runtime/config/config.h"
#include "runtime/ip.h"
#include "runtime/text/base64.h"

enum {
	HELO_BYTES_MAX = 255,      /* longest domain (RFC 5321 section 4.5.3.1.2) */
	MAIL_FROM_BYTES_MAX = 320, /* a local part of 64 octets and a domain of 255 */
};

static rt_status field_invalid(struct rt_ctx *ctx, const char *field, const char *detail)
{
	rt_fail_field(ctx, field, "%s", detail);
	return rt_fail(ctx, RT_BAD_INPUT, "field-invalid", "%s: %s", field, detail);
}

static size_t bytes_max(void)
{
	size_t max = rt_config()->tester_message_max;

	return max < UPLOAD_BYTES_MAX ? max : UPLOAD_BYTES_MAX;
}

static rt_status too_large(struct rt_ctx *ctx)
{
	return rt_fail(ctx, RT_BAD_INPUT, "body-too-large",
		"a message may have %zu octets at most, with CR LF at the end of each line",
		bytes_max());
}

/* True if every line of the message ends with a bare LF, as editors write lines. Such line ends are
 * converted to CR LF, with which mail ends its lines and which DKIM signs (RFC 6376 section 5.3). A
 * message with both kinds of line end stays as it is: its bare line ends are a finding. */
static bool has_bare_line_ends_alone(const char *message, size_t length)
{
	const char *end = message + length;
	const char *at = memchr(message, '\n', length);
	bool any = at != NULL;

	for (; at != NULL; at = memchr(at + 1, '\n', (size_t)(end - at - 1)))
		if (at > message && at[-1] == '\r')
			return false;
	return any;
}

static size_t count_lines(const char *message, size_t length)
{
	size_t count = 0;

	for (size_t i = 0; i < length; i++)
		count += message[i] == '\n';
	return count;
}

static rt_status with_line_ends(struct rt_ctx *ctx, struct upload_form *form)
{
	size_t lines;
	char *to;

	if (!has_bare_line_ends_alone(form->message, form->length))
		return form->length > bytes_max() ? too_large(ctx) : RT_OK;
	lines = count_lines(form->message, form->length);
	if (form->length + lines > bytes_max())
		return too_large(ctx);
	to = rt_alloc(ctx, form->length + lines);
	for (size_t i = 0, n = 0; i < form->length; i++) {
		if (form->message[i] == '\n')
			to[n++] = '\r';
		to[n++] = form->message[i];
	}
	form->message = to;
	form->length += lines;
	return RT_OK;
}

static rt_status check_client(struct rt_ctx *ctx, struct upload_form *form)
{
	char text[RT_IP_TEXT_MAX];
	struct rt_ip ip;

	if (form->client_ip[0] == '\0')
		return RT_OK;
	if (!rt_ip_parse(form->client_ip, &ip))
		return field_invalid(ctx, "clientIp",
			"an IPv4 or IPv6 address is required, without brackets and port");
	rt_ip_format(&ip, text);
	form->client_ip = rt_strdup(ctx, text);
	return RT_OK;
}

/* True for text of at most max octets without white space and control characters. */
static bool is_word(const char *text, size_t max)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f)
			return false;
	return length <= max;
}

static rt_status check_mail_from(struct rt_ctx *ctx, struct upload_form *form)
{
	size_t length = strlen(form->mail_from);
	const char *at;

	if (length >= 2 && form->mail_from[0] == '<' && form->mail_from[length - 1] == '>')
		form->mail_from = rt_memdup(ctx, form->mail_from + 1, length - 2);
	if (form->mail_from[0] == '\0')
		return RT_OK;
	at = strrchr(form->mail_from, '@');
	if (at == NULL || at == form->mail_from || at[1] == '\0' ||
		strpbrk(form->mail_from, "<>") != NULL ||
		!is_word(form->mail_from, MAIL_FROM_BYTES_MAX))
		return field_invalid(ctx, "mailFrom",
			"an address such as a@example.com is required, or <> for the empty sender");
	return RT_OK;
}

static rt_status check_envelope(struct rt_ctx *ctx, struct upload_form *form)
{
	RT_TRY(check_client(ctx, form));
	if (!is_word(form->helo, HELO_BYTES_MAX))
		return field_invalid(ctx, "helo", "a host name or address literal is required");
	return check_mail_from(ctx, form);
}

/* Reads a string member; *value is "" when it is missing. */
static rt_status take_string(
	struct rt_ctx *ctx, const json_t *body, const char *field, const char **value)
{
	const json_t *member = json_object_get(body, field);

	*value = json_is_string(member) ? json_string_value(member) : "";
	if (member != NULL && !json_is_string(member))
		return field_invalid(ctx, field, "a string is required");
	return RT_OK;
}

static rt_status take_message(struct rt_ctx *ctx, const json_t *body, struct upload_form *form)
{
	const json_t *text = json_object_get(body, "message");
	const json_t *coded = json_object_get(body, "messageBase64");

	if ((text == NULL) == (coded == NULL))
		return field_invalid(ctx, "message", "either this or messageBase64 is required");
	if (!json_is_string(text != NULL ? text : coded))
		return field_invalid(
			ctx, text != NULL ? "message" : "messageBase64", "a string is required");
	form->message = json_string_value(text);
	form->length = json_string_length(text);
	if (text != NULL)
		return RT_OK;
	form->message = rt_base64_decode(
		ctx, json_string_value(coded), json_string_length(coded), &form->length);
	if (form->message == NULL)
		return field_invalid(ctx, "messageBase64",
			"this is not base64 (RFC 4648 section 4, with padding, without line ends)");
	return RT_OK;
}

static rt_status read_json(
	struct rt_ctx *ctx, const struct rt_request *req, struct upload_form *form)
{
	static const char *const fields[] = {
		"message", "messageBase64", "clientIp", "helo", "mailFrom"};
	json_t *body;

	RT_TRY(rt_body_object_within(ctx, req, UPLOAD_BYTES_MAX, &body));
	RT_TRY(rt_body_only(ctx, body, fields, sizeof fields / sizeof fields[0]));
	RT_TRY(take_message(ctx, body, form));
	RT_TRY(take_string(ctx, body, "clientIp", &form->client_ip));
	RT_TRY(take_string(ctx, body, "helo", &form->helo));
	return take_string(ctx, body, "mailFrom", &form->mail_from);
}

static const char *query_or_nothing(const struct rt_request *req, const char *name)
{
	const char *value = rt_request_query(req, name);

	return value != NULL ? value : "";
}

static void read_query(const struct rt_request *req, struct upload_form *form)
{
	form->message = req->body;
	form->length = req->body_length;
	form->client_ip = query_or_nothing(req, "clientIp");
	form->helo = query_or_nothing(req, "helo");
	form->mail_from = query_or_nothing(req, "mailFrom");
}

static bool is_type(const char *content_type, const char *type)
{
	size_t length = strlen(type);

	return strncasecmp(content_type, type, length) == 0 &&
		(content_type[length] == '\0' || strchr("; \t", content_type[length]) != NULL);
}

/* True for the media types of a message. A request without Content-Type counts as a message, since
 * curl -T sends none. */
static bool is_message_type(const char *content_type)
{
	return content_type == NULL || is_type(content_type, "message/rfc822") ||
		is_type(content_type, "application/octet-stream") ||
		is_type(content_type, "text/plain");
}

rt_status upload_form_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct upload_form *form)
{
	const char *type = rt_request_header(req, "content-type");

	RT_TRY(rt_body_not_coded(ctx, req));
	if (type != NULL && is_type(type, "application/json"))
		RT_TRY(read_json(ctx, req, form));
	else if (is_message_type(type))
		read_query(req, form);
	else
		return rt_fail(ctx, RT_BAD_INPUT, "media-type-unsupported",
			"send the message with Content-Type: message/rfc822, or within "
			"application/json");
	if (form->length == 0)
		return rt_fail(ctx, RT_BAD_INPUT, "body-missing", "the request needs a message");
	RT_TRY(with_line_ends(ctx, form));
	return check_envelope(ctx, form);
}
