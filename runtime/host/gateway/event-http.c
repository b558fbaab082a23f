#include "runtime/host/gateway/event-http.h"

#include <string.h>
#include <strings.h>

#include "runtime/host/json-write.h"
#include "runtime/text/base64.h"
#include "runtime/text/clock-text.h"
#include "runtime/text/percent.h"
#include "runtime/text/utf8.h"

struct pair {
	struct http_span name;
	struct http_span value;
};

/* A parsed query. The spans of the pairs point into decoded. */
struct query {
	struct pair pairs[EVENT_QUERY_PARAMS_MAX];
	size_t count;
	char decoded[HTTP_HEAD_BYTES_MAX];
	size_t used;
};

static void write_span(struct rt_buffer *out, const struct http_span *span)
{
	json_write_string(out, span->text, span->length);
}

static bool same_bytes(const struct http_span *a, const struct http_span *b)
{
	return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static bool same_name(const struct http_span *a, const struct http_span *b)
{
	return a->length == b->length && strncasecmp(a->text, b->text, a->length) == 0;
}

/* True for a field that concerns only this connection, has its own member (cookie), or is replaced
 * by the traceparent of the gateway. */
static bool is_left_out(const struct http_span *name)
{
	static const char *const names[] = {"connection", "cookie", "expect", "keep-alive",
		"traceparent", "tracestate", "transfer-encoding"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (http_span_is(name, names[i]))
			return true;
	return false;
}

static bool is_repeated(const struct http_head *head, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_name(&head->fields[i].name, &head->fields[index].name))
			return true;
	return false;
}

static void write_lower(struct rt_buffer *out, const struct http_span *name)
{
	char *room = rt_buffer_room(out, name->length);

	if (room == NULL)
		return;
	for (size_t i = 0; i < name->length; i++)
		room[i] = (char)(name->text[i] >= 'A' && name->text[i] <= 'Z' ? name->text[i] | 0x20
									      : name->text[i]);
	rt_buffer_used(out, name->length);
}

/* Writes one field, joined with the values of later fields of the same name (RFC 9110 section 5.3).
 */
static void write_field(struct rt_buffer *out, const struct http_head *head, size_t index)
{
	const struct http_field *field = &head->fields[index];

	rt_buffer_text(out, "\"");
	write_lower(out, &field->name);
	rt_buffer_text(out, "\":\"");
	json_write_part(out, field->value.text, field->value.length);
	for (size_t i = index + 1; i < head->field_count; i++) {
		const struct http_field *other = &head->fields[i];

		if (!same_name(&other->name, &field->name))
			continue;
		rt_buffer_text(out, ",");
		json_write_part(out, other->value.text, other->value.length);
	}
	rt_buffer_text(out, "\"");
}

static void write_headers(
	struct rt_buffer *out, const struct http_head *head, const char *traceparent)
{
	bool first = traceparent == NULL;

	rt_buffer_text(out, ",\"headers\":{");
	if (traceparent != NULL) {
		rt_buffer_text(out, "\"traceparent\":");
		json_write_text(out, traceparent);
	}
	for (size_t i = 0; i < head->field_count; i++) {
		if (is_left_out(&head->fields[i].name) || is_repeated(head, i))
			continue;
		if (!first)
			rt_buffer_text(out, ",");
		first = false;
		write_field(out, head, i);
	}
	rt_buffer_text(out, "}");
}

/* Writes the pairs of one Cookie field, "a=b; c=d" (RFC 6265 section 4.2). */
static void write_cookie_pairs(struct rt_buffer *out, struct http_span rest, bool *any)
{
	while (rest.length > 0) {
		const char *semicolon = memchr(rest.text, ';', rest.length);
		struct http_span pair = rest;

		pair.length = semicolon == NULL ? rest.length : (size_t)(semicolon - rest.text);
		rest.text += pair.length + (semicolon != NULL);
		rest.length -= pair.length + (semicolon != NULL);
		while (pair.length > 0 && pair.text[0] == ' ')
			pair = (struct http_span){pair.text + 1, pair.length - 1};
		if (pair.length == 0)
			continue;
		rt_buffer_text(out, *any ? "," : ",\"cookies\":[");
		*any = true;
		write_span(out, &pair);
	}
}

static void write_cookies(struct rt_buffer *out, const struct http_head *head)
{
	bool any = false;

	for (size_t i = 0; i < head->field_count; i++)
		if (http_span_is(&head->fields[i].name, "cookie"))
			write_cookie_pairs(out, head->fields[i].value, &any);
	if (any)
		rt_buffer_text(out, "]");
}

static struct http_span decode(struct query *query, const char *text, size_t length)
{
	struct http_span span = {.text = query->decoded + query->used};

	span.length = percent_decode_query(query->decoded + query->used, text, length);
	query->used += span.length;
	return span;
}

static bool add_pair(struct query *query, const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t name_length = equals == NULL ? length : (size_t)(equals - text);
	struct pair *pair;

	if (length == 0)
		return true;
	if (query->count == EVENT_QUERY_PARAMS_MAX)
		return false;
	pair = &query->pairs[query->count++];
	pair->name = decode(query, text, name_length);
	/* A name that is not UTF-8 is refused: if its octets were replaced by U+FFFD, two names
	 * could become the same member. */
	if (!rt_utf8_is_text(pair->name.text, pair->name.length))
		return false;
	pair->value = equals == NULL ? decode(query, text, 0)
				     : decode(query, equals + 1, length - name_length - 1);
	return true;
}

static bool parse_query(struct query *query, const struct http_span *text)
{
	const char *at = text->text;
	const char *end = at + text->length;

	query->count = query->used = 0;
	while (at < end) {
		const char *next = memchr(at, '&', (size_t)(end - at));

		next = next == NULL ? end : next;
		if (!add_pair(query, at, (size_t)(next - at)))
			return false;
		at = next + 1;
	}
	return true;
}

static bool is_later_pair(const struct query *query, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_bytes(&query->pairs[i].name, &query->pairs[index].name))
			return true;
	return false;
}

static void write_pair(struct rt_buffer *out, const struct query *query, size_t index)
{
	const struct pair *pair = &query->pairs[index];

	write_span(out, &pair->name);
	rt_buffer_text(out, ":\"");
	json_write_part(out, pair->value.text, pair->value.length);
	for (size_t i = index + 1; i < query->count; i++) {
		if (!same_bytes(&query->pairs[i].name, &pair->name))
			continue;
		rt_buffer_text(out, ",");
		json_write_part(out, query->pairs[i].value.text, query->pairs[i].value.length);
	}
	rt_buffer_text(out, "\"");
}

static bool write_query(struct rt_buffer *out, const struct http_head *head)
{
	struct query query;

	if (head->query.length == 0)
		return true;
	if (!parse_query(&query, &head->query))
		return false;
	if (query.count == 0)
		return true;
	rt_buffer_text(out, ",\"queryStringParameters\":{");
	for (size_t i = 0; i < query.count; i++) {
		if (is_later_pair(&query, i))
			continue;
		if (i > 0)
			rt_buffer_text(out, ",");
		write_pair(out, &query, i);
	}
	rt_buffer_text(out, "}");
	return true;
}

static void write_params(struct rt_buffer *out, const struct route_match *match)
{
	for (size_t i = 0; i < match->param_count; i++) {
		const struct route_param *param = &match->params[i];

		rt_buffer_text(out, i == 0 ? ",\"pathParameters\":{" : ",");
		json_write_string(out, param->name, param->name_length);
		rt_buffer_text(out, ":");
		json_write_string(out, param->value, param->value_length);
	}
	if (match->param_count > 0)
		rt_buffer_text(out, "}");
}

/* The time as "20/Nov/2026:11:22:11 +0000". */
static const char *time_text(int64_t now_ms)
{
	static struct rt_clock_text clock = {.format = "%d/%b/%Y:%H:%M:%S +0000"};

	return rt_clock_text(&clock, (time_t)(now_ms / 1000));
}

/* Writes the host without its port, and its part before the first dot. */
static void write_domain(struct rt_buffer *out, const struct http_span *host)
{
	const char *bracket = memchr(host->text, ']', host->length);
	const char *from = bracket == NULL ? host->text : bracket;
	const char *colon = memchr(from, ':', host->length - (size_t)(from - host->text));
	struct http_span name = {
		host->text, colon == NULL ? host->length : (size_t)(colon - host->text)};
	const char *dot = memchr(name.text, '.', name.length);

	rt_buffer_text(out, ",\"domainName\":");
	write_span(out, &name);
	rt_buffer_text(out, ",\"domainPrefix\":");
	json_write_string(out, name.text, dot == NULL ? name.length : (size_t)(dot - name.text));
}

static struct http_span user_agent(const struct http_head *head)
{
	for (size_t i = 0; i < head->field_count; i++)
		if (http_span_is(&head->fields[i].name, "user-agent"))
			return head->fields[i].value;
	return (struct http_span){.text = ""};
}

static void write_http(struct rt_buffer *out, const struct event_http *event)
{
	const struct http_head *head = event->head;
	struct http_span agent = user_agent(head);

	rt_buffer_text(out, ",\"http\":{\"method\":");
	json_write_text(out, head->method);
	rt_buffer_text(out, ",\"path\":");
	write_span(out, &head->path);
	rt_buffer_text(out,
		head->minor == 0 ? ",\"protocol\":\"HTTP/1.0\",\"sourceIp\":"
				 : ",\"protocol\":\"HTTP/1.1\",\"sourceIp\":");
	json_write_text(out, event->peer);
	rt_buffer_text(out, ",\"userAgent\":");
	write_span(out, &agent);
	rt_buffer_text(out, "}");
}

static void write_context(struct rt_buffer *out, const struct event_http *event)
{
	rt_buffer_text(
		out, ",\"requestContext\":{\"accountId\":\"000000000000\",\"apiId\":\"local\"");
	write_domain(out, &event->head->host);
	rt_buffer_text(out, ",\"requestId\":");
	json_write_text(out, event->request_id);
	rt_buffer_text(out, ",\"routeKey\":");
	json_write_text(out, event->match->route->key);
	rt_buffer_text(out, ",\"stage\":\"$default\",\"time\":");
	json_write_text(out, time_text(event->now_ms));
	rt_buffer_text(out, ",\"timeEpoch\":");
	rt_buffer_integer(out, event->now_ms);
	write_http(out, event);
	rt_buffer_text(out, "}");
}

static void write_body(struct rt_buffer *out, const struct event_http *event)
{
	size_t encoded = (event->body_length + 2) / 3 * 4;
	/* A large body is written as base64 even if it is text: base64 makes any body a third
	 * longer, but escapes can make a text six times as long. */
	bool text = event->body_length == 0 ||
		(event->body_length <= HTTP_BODY_BYTES_MAX &&
			rt_utf8_is_text(event->body, event->body_length));
	char *room;

	if (event->body_length > 0)
		rt_buffer_text(out, ",\"body\":");
	if (event->body_length > 0 && text)
		json_write_string(out, event->body, event->body_length);
	if (!text) {
		rt_buffer_text(out, "\"");
		room = rt_buffer_room(out, encoded);
		if (room != NULL) {
			rt_base64_write(event->body, event->body_length, room);
			rt_buffer_used(out, encoded);
		}
		rt_buffer_text(out, "\"");
	}
	rt_buffer_text(out, text ? ",\"isBase64Encoded\":false" : ",\"isBase64Encoded\":true");
}

bool event_http_write(struct rt_buffer *out, const struct event_http *event)
{
	const struct http_head *head = event->head;

	rt_buffer_text(out, "{\"version\":\"2.0\",\"routeKey\":");
	json_write_text(out, event->match->route->key);
	rt_buffer_text(out, ",\"rawPath\":");
	write_span(out, &head->path);
	rt_buffer_text(out, ",\"rawQueryString\":");
	write_span(out, &head->query);
	write_cookies(out, head);
	write_headers(out, head, event->traceparent);
	if (!write_query(out, head))
		return false;
	write_params(out, event->match);
	write_context(out, event);
	write_body(out, event);
	rt_buffer_text(out, "}");
	return !out->overflow;
}
