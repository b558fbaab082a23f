#include "functions/tester/session-json.h"
#include "runtime/event/event-http.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/lib/webhook/delivery-json.h"
#include "functions/tester/report/session-text.h"
#include "runtime/config/config.h"
#include "runtime/event/etag.h"

/* localhost and names under it always mean the local machine (RFC 6761 section 6.3): no mail server
 * elsewhere delivers to them. */
static bool is_of_this_machine(const char *domain)
{
	static const char name[] = "localhost";
	size_t length = strlen(domain);

	if (length < sizeof name - 1 || strcmp(domain + length - (sizeof name - 1), name) != 0)
		return false;
	return length == sizeof name - 1 || domain[length - sizeof name] == '.';
}

/* smtp_listen is an address and port, which JSON need not escape. */
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

/* The host of "https://host/path", the form in which session-create stores the URL. */
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

rt_status eds_session_respond(struct rt_ctx *ctx, const struct rt_request *req,
	struct rt_response *res, int status, const struct eds_session *session)
{
	size_t length;
	const char *body = eds_session_json(ctx, session, &length);
	const char *etag = rt_etag(ctx, body, length);

	rt_response_header(res, "cache-control", "no-store");
	rt_response_header(res, "etag", etag);
	if (rt_request_has_tag(ctx, req, &etag)) {
		rt_response_header(res, "etag", etag);
		res->status = 304;
		return RT_OK;
	}
	return rt_respond_bytes(ctx, res, status, "application/json", body, length, false);
}
