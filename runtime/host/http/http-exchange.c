#include "runtime/host/http/http-exchange.h"

#include <stdio.h>
#include <string.h>

#include "runtime/config/config.h"
#include "runtime/ctx.h"
#include "runtime/event/forwarded.h"
#include "runtime/time.h"

void http_exchange_begin(
	struct http_exchange *exchange, struct http_connection *connection, const char *peer)
{
	exchange->connection = connection;
	exchange->method = "-";
	snprintf(exchange->path, sizeof exchange->path, "-");
	memcpy(exchange->client, peer, sizeof exchange->client);
	exchange->started_us = access_now_us();
	exchange->minor = 1;
	exchange->head_only = exchange->keep_alive = exchange->refused = false;
	request_id_make(exchange->id, rt_wall_ms());
	exchange->trace.id[0] = '\0';
}

static void show_path(struct http_exchange *exchange, const char *path, size_t length)
{
	size_t shown = length < sizeof exchange->path - 1 ? length : sizeof exchange->path - 1;

	memcpy(exchange->path, path, shown);
	exchange->path[shown] = '\0';
}

void http_log_path(struct http_exchange *exchange, const char *path)
{
	show_path(exchange, path, strlen(path));
}

/* Notes the client's address. Several X-Forwarded-For fields form one list (RFC 9110 section 5.3).
 */
static void note_client(struct http_exchange *exchange, const struct http_head *head,
	const char *peer, struct rt_buffer *list)
{
	rt_buffer_clear(list);
	for (size_t i = 0; i < head->field_count; i++) {
		const struct http_field *field = &head->fields[i];

		if (!http_span_is(&field->name, "x-forwarded-for"))
			continue;
		rt_buffer_text(list, list->length > 0 ? "," : "");
		rt_buffer_add(list, field->value.text, field->value.length);
	}
	if (list->length > 0)
		rt_forwarded_client(peer, list->bytes, list->length, exchange->client);
}

/* Continues the trace of the request if the request has only one traceparent field and this field
 * is valid; otherwise begins a new trace. */
static void note_trace(struct http_exchange *exchange, const struct http_head *head)
{
	const struct http_span *value = NULL;
	size_t count = 0;

	for (size_t i = 0; i < head->field_count; i++)
		if (http_span_is(&head->fields[i].name, "traceparent")) {
			value = &head->fields[i].value;
			count++;
		}
	if (count == 1 && rt_trace_read(value->text, value->length, &exchange->trace))
		rt_trace_step(&exchange->trace);
	else
		rt_trace_make(&exchange->trace);
	rt_trace_write(&exchange->trace, exchange->traceparent);
}

void http_exchange_note_head(struct http_exchange *exchange, const struct http_head *head,
	const char *peer, struct rt_buffer *list)
{
	show_path(exchange, head->path.text, head->path.length);
	if (rt_config()->trusted_proxies.count > 0)
		note_client(exchange, head, peer, list);
	note_trace(exchange, head);
	exchange->method = head->method;
	exchange->minor = head->minor;
	exchange->head_only = strcmp(head->method, "HEAD") == 0;
	exchange->keep_alive = head->keep_alive;
}

/* Notes whether the method is HEAD, though the head could not be parsed. The answer to HEAD must
 * have no body: the client would read it as the start of the next answer. */
void http_exchange_note_bytes(struct http_exchange *exchange, const char *bytes, size_t length)
{
	static const char start[] = "HEAD ";

	exchange->head_only = length >= sizeof start - 1 &&
		memcmp(bytes, start, sizeof start - 1) == 0;
}
