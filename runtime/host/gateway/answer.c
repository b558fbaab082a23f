#include "runtime/host/gateway/answer.h"

#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "runtime/host/http/http-head-lines.h"
#include "runtime/host/http/http-head.h"
#include "runtime/host/json-unescape.h"
#include "runtime/text/base64.h"

struct members {
	struct rt_json_value headers;
	struct rt_json_value cookies;
	struct rt_json_value body;
	bool has_status;
	bool has_error;
	bool base64;
	const char *apart; /* a body that follows the line; NULL for none */
	size_t apart_length;
};

/* Separates the line of JSON from the body that may follow it. The first line end of the text is
 * between the two, because the JSON is on one line. Returns the length of that line. */
static size_t cut_body(struct members *members, const char *text, size_t length)
{
	const char *newline = memchr(text, '\n', length);

	if (newline == NULL)
		return length;
	members->apart = newline + 1;
	members->apart_length = length - (size_t)(newline + 1 - text);
	return (size_t)(newline - text);
}

void answer_init(struct answer *answer)
{
	rt_buffer_init_heap(&answer->fields, ANSWER_FIELDS_BYTES_MAX);
	rt_buffer_init_heap(&answer->body, ANSWER_BODY_BYTES_MAX);
}

void answer_done(struct answer *answer)
{
	rt_buffer_done(&answer->fields);
	rt_buffer_done(&answer->body);
}

/* Reads a JSON integer of at most nine digits. */
static bool read_integer(const struct rt_json_value *value, int *number)
{
	*number = 0;
	if (value->kind != RT_JSON_WORD || value->length == 0 || value->length > 9)
		return false;
	for (size_t i = 0; i < value->length; i++) {
		if (value->text[i] < '0' || value->text[i] > '9')
			return false;
		*number = *number * 10 + (value->text[i] - '0');
	}
	return true;
}

static bool take_member(struct answer *answer, struct members *members,
	const struct rt_json_value *name, const struct rt_json_value *value)
{
	if (rt_json_read_is(name, "statusCode")) {
		members->has_status = true;
		return read_integer(value, &answer->status) && answer->status >= 200 &&
			answer->status <= 599;
	}
	if (rt_json_read_is(name, "headers"))
		members->headers = *value;
	else if (rt_json_read_is(name, "cookies"))
		members->cookies = *value;
	else if (rt_json_read_is(name, "body"))
		members->body = *value;
	else if (rt_json_read_is(name, "isBase64Encoded"))
		members->base64 = rt_json_read_is(value, "true");
	else if (rt_json_read_is(name, "errorType"))
		members->has_error = true;
	return true;
}

/* True for a field that frames the message; only the server writes such fields (RFC 9110 section
 * 7.6.1). */
static bool is_framing(const struct rt_json_value *name)
{
	static const char *const names[] = {"connection", "content-length", "keep-alive", "te",
		"trailer", "transfer-encoding", "upgrade"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (name->length == strlen(names[i]) &&
			strncasecmp(name->text, names[i], name->length) == 0)
			return true;
	return false;
}

/* True for a valid value. A line end in a value would let an attacker add fields or a second answer
 * (response splitting). */
static bool is_value(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* Copies a name. Accepts only letters, digits, hyphens, underscores and dots, so that the name
 * needs no escaping anywhere. */
static bool take_name(char name[ANSWER_NAME_MAX + 1], const char *text, size_t length)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-_.";

	if (length == 0 || length > ANSWER_NAME_MAX)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return strspn(name, plain) == length;
}

/* Reads the value of eds-wait: "30 name". */
static bool take_wait(struct answer *answer, const char *text, size_t length)
{
	const char *space = memchr(text, ' ', length);
	struct rt_json_value seconds = {.kind = RT_JSON_WORD, .text = text};

	if (space == NULL)
		return false;
	seconds.length = (size_t)(space - text);
	return read_integer(&seconds, &answer->wait_s) &&
		take_name(answer->wait_for, space + 1, length - seconds.length - 1);
}

static bool is_note(const struct rt_json_value *name, const char *note)
{
	return name->length == strlen(note) && strncasecmp(name->text, note, name->length) == 0;
}

/* Reads a field eds-… for the host; ignores an unknown one. */
static bool take_note(
	struct answer *answer, const struct rt_json_value *name, const struct rt_json_value *value)
{
	bool stored = is_note(name, "eds-stored");

	if (!stored && !is_note(name, "eds-wait"))
		return true;
	if (value->kind != RT_JSON_STRING)
		return false;
	return stored ? take_name(answer->stored, value->text, value->length)
		      : take_wait(answer, value->text, value->length);
}

static bool add_field(
	struct answer *answer, const struct rt_json_value *name, const struct rt_json_value *value)
{
	size_t start;

	if (!http_is_token(name->text, name->length))
		return false;
	if (is_framing(name) || rt_json_read_is(value, "null"))
		return true;
	if (name->length > 4 && strncasecmp(name->text, "eds-", 4) == 0)
		return take_note(answer, name, value);
	rt_buffer_add(&answer->fields, name->text, name->length);
	rt_buffer_text(&answer->fields, ": ");
	start = answer->fields.length;
	if (value->kind == RT_JSON_WORD)
		rt_buffer_add(&answer->fields, value->text, value->length);
	else if (value->kind != RT_JSON_STRING || !json_unescape(value, &answer->fields))
		return false;
	if (answer->fields.overflow ||
		!is_value(answer->fields.bytes + start, answer->fields.length - start))
		return false;
	rt_buffer_text(&answer->fields, "\r\n");
	return true;
}

static bool add_fields(struct answer *answer, const struct members *members)
{
	static const struct rt_json_value set_cookie = {
		.kind = RT_JSON_STRING, .text = "set-cookie", .length = 10};
	struct rt_json_value name, value;
	struct rt_json_read read;

	if (members->headers.text != NULL && !rt_json_read_is(&members->headers, "null")) {
		rt_json_read_init(&read, members->headers.text, members->headers.length);
		while (rt_json_read_member(&read, &name, &value))
			if (!add_field(answer, &name, &value))
				return false;
		if (read.failed)
			return false;
	}
	if (members->cookies.text == NULL || rt_json_read_is(&members->cookies, "null"))
		return true;
	rt_json_read_init(&read, members->cookies.text, members->cookies.length);
	while (rt_json_read_element(&read, &value))
		if (value.kind != RT_JSON_STRING || !add_field(answer, &set_cookie, &value))
			return false;
	return !read.failed;
}

static bool decode_body(struct rt_buffer *body)
{
	return body->length == 0 ||
		rt_base64_read(body->bytes, body->length, body->bytes, &body->length);
}

static bool add_body(struct answer *answer, const struct members *members)
{
	const struct rt_json_value *body = &members->body;

	if (members->apart != NULL && body->text == NULL && !members->base64) {
		rt_buffer_add(&answer->body, members->apart, members->apart_length);
		return !answer->body.overflow;
	}
	if (members->apart != NULL)
		return false;
	if (body->text == NULL || (body->kind == RT_JSON_WORD && rt_json_read_is(body, "null")))
		return true;
	if (body->kind != RT_JSON_STRING || !json_unescape(body, &answer->body))
		return false;
	return !members->base64 || decode_body(&answer->body);
}

static enum answer_result read_plain(struct answer *answer, const char *text, size_t length)
{
	json_t *value = json_loadb(text, length, JSON_DECODE_ANY, NULL);

	if (value == NULL)
		return ANSWER_INVALID;
	json_decref(value);
	answer->status = 200;
	rt_buffer_text(&answer->fields, "content-type: application/json\r\n");
	rt_buffer_add(&answer->body, text, length);
	return answer->body.overflow ? ANSWER_INVALID : ANSWER_GOOD;
}

enum answer_result answer_read(struct answer *answer, const char *text, size_t length)
{
	struct members members = {.has_status = false};
	struct rt_json_value name, value;
	struct rt_json_read read;

	rt_buffer_clear(&answer->fields);
	rt_buffer_clear(&answer->body);
	answer->stored[0] = '\0';
	answer->wait_s = 0;
	length = cut_body(&members, text, length);
	if (length == 0 || text[0] != '{')
		return members.apart != NULL ? ANSWER_INVALID : read_plain(answer, text, length);
	rt_json_read_init(&read, text, length);
	while (rt_json_read_member(&read, &name, &value))
		if (!take_member(answer, &members, &name, &value))
			return ANSWER_INVALID;
	if (read.failed)
		return ANSWER_INVALID;
	if (members.has_error)
		return ANSWER_FAILED;
	if (!members.has_status && members.apart != NULL)
		return ANSWER_INVALID;
	if (!members.has_status)
		return read_plain(answer, text, length);
	if (!add_fields(answer, &members) || !add_body(answer, &members))
		return ANSWER_INVALID;
	return ANSWER_GOOD;
}
