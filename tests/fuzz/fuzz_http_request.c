/* A request as it arrives: head, body in chunks, route, event. An accepted request must be the same
 * for any division into pieces, be within the limits, and give an event that a function can
 * read. */
#include <stdlib.h>

#include "runtime/event/event-http.h"
#include "runtime/event/event.h"
#include "runtime/host/gateway/event-http.h"
#include "runtime/host/http/http-chunked.h"
#include "runtime/host/http/http-head-lines.h"
#include "tests/fuzz/fuzz.h"

enum {
	PREFIXES = 16,
	BODY_BYTES_MAX = 40, /* limit of a chunked body, small so that inputs reach it */
};

static const char manifest_text[] =
	"{\"functions\":{\"a\":{\"timeoutMs\":1000,\"http\":[\"GET /\",\"GET /a/{id}\",\"POST "
	"/a/{id}\",\"DELETE /a/b/{c}/d\"]},\"b\":{\"timeoutMs\":1000,\"ops\":[\"GET /ask\"]}}}";

static const struct manifest *manifest(void)
{
	static struct manifest *made;
	char error[MANIFEST_ERROR_MAX];

	if (made == NULL)
		made = manifest_parse(manifest_text, sizeof manifest_text - 1, "/", error);
	FUZZ_ASSERT(made != NULL);
	return made;
}

static void check_head(const struct http_head *head, size_t size)
{
	FUZZ_ASSERT(head->head_length <= size && head->head_length <= HTTP_HEAD_BYTES_MAX);
	FUZZ_ASSERT(head->field_count <= HTTP_FIELDS_MAX);
	FUZZ_ASSERT(head->content_length <= HTTP_LARGE_BODY_BYTES_MAX);
	FUZZ_ASSERT(!head->chunked || head->content_length == 0);
	FUZZ_ASSERT(head->minor == 0 || head->host.length > 0);
	FUZZ_ASSERT(head->minor == 0 || head->minor == 1);
	FUZZ_ASSERT(head->path.length > 0);
	for (size_t i = 0; i < head->field_count; i++) {
		const struct http_field *field = &head->fields[i];

		FUZZ_ASSERT(http_is_token(field->name.text, field->name.length));
		FUZZ_ASSERT(memchr(field->value.text, '\0', field->value.length) == NULL);
		FUZZ_ASSERT(memchr(field->value.text, '\r', field->value.length) == NULL);
		FUZZ_ASSERT(memchr(field->value.text, '\n', field->value.length) == NULL);
	}
}

/* A head that is valid as a whole must also be accepted in pieces. */
static void check_prefixes(char *bytes, const struct http_head *whole)
{
	static struct http_head part;

	for (size_t i = 0; i < PREFIXES; i++)
		FUZZ_ASSERT(http_head_parse(bytes, whole->head_length * i / PREFIXES, &part) ==
			HTTP_MORE);
}

/* Decodes the body, given in pieces of this size; *decoded gets the result. */
static enum http_result decode(
	const char *body, size_t size, size_t piece, char *out, size_t *decoded)
{
	struct http_chunked chunked;
	enum http_result result = HTTP_MORE;
	size_t length = 0;

	http_chunked_init(&chunked, BODY_BYTES_MAX);
	for (size_t at = 0; at < size && result == HTTP_MORE; at += piece) {
		size_t more = size - at < piece ? size - at : piece;

		memcpy(out + length, body + at, more);
		length += more;
		result = http_chunked_decode(&chunked, out, &length);
		FUZZ_ASSERT(chunked.decoded <= length);
	}
	FUZZ_ASSERT(chunked.decoded <= BODY_BYTES_MAX || result == HTTP_REFUSED);
	*decoded = chunked.decoded;
	return result;
}

static bool read_body(
	const struct http_head *head, const char *body, size_t size, char *out, size_t *length)
{
	char *again = malloc(size + 1);
	enum http_result result = decode(body, size, size + 1, out, length);
	size_t other;

	FUZZ_ASSERT(decode(body, size, 1 + head->head_length % 7, again, &other) == result);
	if (result == HTTP_READY)
		FUZZ_ASSERT(other == *length && memcmp(out, again, other) == 0);
	free(again);
	return result == HTTP_READY;
}

static void check_event(const struct http_head *head, const char *body, size_t length)
{
	static struct route_match match;
	struct event_http event = {.head = head,
		.match = &match,
		.body = body,
		.body_length = length,
		.peer = "192.0.2.1",
		.request_id = "id",
		.now_ms = 1700000000000};
	struct rt_ctx ctx = fuzz_begin();
	struct rt_request request;
	struct rt_buffer text;
	json_t *value;

	rt_buffer_init_heap(&text, EVENT_HTTP_BYTES_MAX);
	rt_json_use_arena(ctx.arena);
	if (route_find(manifest(), false, head->method, head->path.text, head->path.length,
		    &match) == ROUTE_FOUND &&
		event_http_write(&text, &event)) {
		FUZZ_ASSERT(!text.overflow && memchr(text.bytes, '\n', text.length) == NULL);
		FUZZ_ASSERT(rt_json_parse(&ctx, text.bytes, text.length, &value) == RT_OK);
		FUZZ_ASSERT(rt_event_http(&ctx, text.bytes, text.length, &request) == RT_OK);
		FUZZ_ASSERT(strcmp(request.method, head->method) == 0);
		FUZZ_ASSERT(request.body_length == length);
		FUZZ_ASSERT(length == 0 || memcmp(request.body, body, length) == 0);
	}
	rt_json_use_arena(NULL);
	rt_buffer_done(&text);
	fuzz_end(&ctx);
}

static void read_request(char *bytes, size_t size)
{
	static struct http_head head;
	char *body;
	size_t length;

	if (http_head_parse(bytes, size, &head) != HTTP_READY) {
		FUZZ_ASSERT(size < HTTP_HEAD_BYTES_MAX || head.refusal.status >= 400);
		return;
	}
	check_head(&head, size);
	check_prefixes(bytes, &head);
	body = malloc(size + 1);
	length = size - head.head_length < head.content_length ? size - head.head_length
							       : head.content_length;
	memcpy(body, bytes + head.head_length, length);
	if (!head.chunked ||
		read_body(&head, bytes + head.head_length, size - head.head_length, body, &length))
		check_event(&head, body, length);
	free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *bytes = malloc(size + (size == 0)); /* the parser changes the head in place */

	if (size > 0)
		memcpy(bytes, data, size);
	read_request(bytes, size);
	free(bytes);
	return 0;
}
