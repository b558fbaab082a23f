#include "functions/tester/session-json.h"

#include <string.h>

#include "functions/lib/webhook/delivery-json.h"
#include "functions/tester/session-text.h"
#include "runtime/config.h"

/* Names of this machine alone (RFC 6761 section 6.3): no mail program of elsewhere delivers there.
 */
static bool is_of_this_machine(const char *domain)
{
	static const char name[] = "localhost";
	size_t length = strlen(domain);

	if (length < sizeof name - 1 || strcmp(domain + length - (sizeof name - 1), name) != 0)
		return false;
	return length == sizeof name - 1 || domain[length - sizeof name] == '.';
}

/* An address is nothing that JSON escapes. */
static void end_pending(struct rt_buffer *json)
{
	rt_buffer_text(json, ",\"status\":\"pending\"");
	if (is_of_this_machine(rt_config()->tester_domain)) {
		rt_buffer_text(json, ",\"smtpUrl\":\"smtp://");
		rt_buffer_text(json, rt_config()->smtp_listen);
		rt_buffer_text(json, "\"");
	}
	rt_buffer_text(json, "}");
}

/* "https://host/path", as session-create has written it. */
static const char *host_of(struct rt_ctx *ctx, const char *url)
{
	const char *host = url + strlen("https://");

	return rt_memdup(ctx, host, strcspn(host, "/"));
}

static const char *callback_json(struct rt_ctx *ctx, const struct eds_session *session)
{
	static const struct eds_outbox_seen none = {.state = "pending"};
	json_t *json = json_object();

	rt_json_set(json, "host", json_string(host_of(ctx, session->callback_url)));
	eds_delivery_put(ctx, session->callback != NULL ? session->callback : &none, json);
	if (session->callback_secret != NULL)
		rt_json_set(json, "secret", json_string(session->callback_secret));
	return rt_json_format(ctx, json, NULL);
}

char *eds_session_json(struct rt_ctx *ctx, const struct eds_session *session, size_t *length)
{
	struct rt_buffer json;

	session_text_begin(ctx, session, &json);
	if (session->callback_url != NULL) {
		rt_buffer_text(&json, ",\"callback\":");
		rt_buffer_text(&json, callback_json(ctx, session));
	}
	if (session->completed)
		session_text_end_completed(session->result, &json);
	else
		end_pending(&json);
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
