/* tester-session-headers: GET /api/inbound-tester/sessions/{testId}/headers
 *
 * out   200 {"headers": "Received: …\r\nFrom: …\r\n", "truncated": false}
 * err   404 session-not-found, message-not-found; 409 session-pending
 *
 * Shows the header of the newest message as it was received. The session's result is about the same
 * message. Octets that are not UTF-8 are shown as U+FFFD.
 */
#include <string.h>
#include <unistd.h>

#include "functions/lib/mail/header.h"
#include "functions/lib/store/store.h"
#include "functions/lib/store/tester/session.h"
#include "runtime/buffer.h"
#include "runtime/event/event-http.h"
#include "runtime/event/handler.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/mail-store/mailstore.h"
#include "runtime/text/utf8.h"

enum {
	/* maximum number of octets shown; the analysis reads four times as many */
	HEADERS_BYTES_MAX = 64 * 1024,
	TEXT_BYTES_MAX = 3 * HEADERS_BYTES_MAX,
};

/* The first bytes of a message, at most HEADERS_BYTES_MAX. */
static rt_status read_start(
	struct rt_ctx *ctx, const char *message_id, char **bytes, size_t *length)
{
	size_t size;
	int fd;

	RT_TRY(rt_mailstore_open(ctx, message_id, &fd, &size));
	*length = size < HEADERS_BYTES_MAX ? size : HEADERS_BYTES_MAX;
	*bytes = rt_alloc(ctx, *length + 1);
	for (size_t have = 0; have < *length;) {
		ssize_t got = pread(fd, *bytes + have, *length - have, (off_t)have);

		if (got <= 0)
			return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
				"the message cannot be read now");
		have += (size_t)got;
	}
	return RT_OK;
}

/* The length of the header without the empty line that ends it. The analysis ends the header at the
 * same line. If there is no such line, the length of all bytes. */
static size_t header_length(struct rt_ctx *ctx, const char *bytes, size_t length, bool *whole)
{
	struct eds_header header;
	size_t end;

	eds_header_read(ctx, bytes, length, &header);
	end = header.body_offset;
	*whole = end < length || length < HEADERS_BYTES_MAX;
	if (end >= 2 && memcmp(bytes + end - 2, "\r\n", 2) == 0 &&
		(end == 2 || bytes[end - 3] == '\n'))
		return end - 2;
	if (end >= 1 && bytes[end - 1] == '\n' && (end == 1 || bytes[end - 2] == '\n'))
		return end - 1;
	return end;
}

static const char *as_text(struct rt_ctx *ctx, const char *bytes, size_t length)
{
	struct rt_buffer text;

	rt_buffer_init(&text, ctx, TEXT_BYTES_MAX + 1);
	rt_utf8_add(&text, bytes, length);
	return text.bytes;
}

static rt_status get_headers(
	struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *test_id = rt_request_param(req, "testId");
	struct eds_session_message message;
	json_t *answer = json_object();
	struct eds_store *store;
	size_t length;
	char *bytes;
	bool whole;

	RT_TRY(eds_store_open(ctx, &store));
	RT_TRY(eds_store_session_message(ctx, store, test_id != NULL ? test_id : "", &message));
	RT_TRY(read_start(ctx, message.message_id, &bytes, &length));
	length = header_length(ctx, bytes, length, &whole);
	rt_json_set_text(ctx, answer, "headers", as_text(ctx, bytes, length));
	rt_json_set(answer, "truncated", json_boolean(!whole));
	rt_response_header(res, "cache-control", "no-store");
	return rt_respond_json(ctx, res, 200, answer);
}

int main(int argc, char **argv)
{
	return rt_main_http(argc, argv, get_headers);
}
