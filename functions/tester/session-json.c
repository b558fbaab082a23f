#include "functions/tester/session-json.h"

#include <string.h>

#include "runtime/buffer.h"
#include "runtime/config.h"

enum {
	RESOURCE_BYTES_MAX = 4 * 1024 * 1024,
};

/* Ids, domain and times hold nothing that JSON escapes, and the stored result is an object already:
 * its members are taken over as they stand, which spares a poll reading and writing them. */
char *eds_session_json(struct rt_ctx *ctx, const struct eds_session *session, size_t *length)
{
	struct rt_buffer json;

	rt_buffer_init(&json, ctx, RESOURCE_BYTES_MAX);
	rt_buffer_text(&json, "{\"testId\":\"");
	rt_buffer_text(&json, session->test_id);
	rt_buffer_text(&json, "\",\"email\":\"");
	rt_buffer_text(&json, session->test_id);
	rt_buffer_text(&json, "@");
	rt_buffer_text(&json, rt_config()->tester_domain);
	rt_buffer_text(&json, "\",\"expiresAt\":\"");
	rt_buffer_text(&json, rt_time_format(ctx, session->expires_at_ms));
	if (session->completed) {
		rt_buffer_text(&json, "\",\"status\":\"completed\",");
		rt_buffer_text(&json, session->result + 1);
	} else {
		rt_buffer_text(&json, "\",\"status\":\"pending\"}");
	}
	*length = json.length;
	return json.bytes;
}

/* Tells versions of one resource apart; nobody gains by a collision, so it is no cryptographic one.
 * Each step is a bijection of what came before. */
static uint64_t mix(uint64_t value, uint64_t word)
{
	value = (value ^ word) * 0xff51afd7ed558ccdu;
	return value ^ value >> 32;
}

static uint64_t hash(const char *bytes, size_t length)
{
	uint64_t value = 0x9e3779b97f4a7c15u ^ length;
	uint64_t word = 0;

	for (; length >= sizeof word; bytes += sizeof word, length -= sizeof word) {
		memcpy(&word, bytes, sizeof word);
		value = mix(value, word);
	}
	word = 0;
	memcpy(&word, bytes, length);
	return mix(value, word);
}

/* The version in quotes (RFC 9110 section 8.8.3). */
static const char *entity_tag(struct rt_ctx *ctx, uint64_t version)
{
	static const char digits[] = "0123456789abcdef";
	static const char form[] = "\"0000000000000000\"";
	char *tag = rt_memdup(ctx, form, sizeof form - 1);

	for (char *at = tag + sizeof form - 3; at > tag; at--, version >>= 4)
		*at = digits[version & 15];
	return tag;
}

rt_status eds_session_respond(struct rt_ctx *ctx, const struct rt_request *req,
	struct rt_response *res, int status, const struct eds_session *session)
{
	size_t length;
	const char *body = eds_session_json(ctx, session, &length);
	const char *etag = entity_tag(ctx, hash(body, length));

	rt_response_header(res, "cache-control", "no-store");
	rt_response_header(res, "etag", etag);
	if (rt_request_has_tag(req, etag)) {
		res->status = 304;
		return RT_OK;
	}
	return rt_respond_bytes(ctx, res, status, "application/json", body, length, false);
}
