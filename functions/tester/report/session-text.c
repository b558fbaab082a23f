#include "functions/tester/report/session-text.h"
#include "runtime/time.h"

#include "runtime/config/config.h"

/* Escapes nothing: ids, the domain and times have no character that JSON must escape. */
void session_text_begin(
	struct rt_ctx *ctx, const struct eds_session *session, struct rt_buffer *json)
{
	rt_buffer_init(json, ctx, SESSION_TEXT_BYTES_MAX);
	rt_buffer_text(json, "{\"testId\":\"");
	rt_buffer_text(json, session->test_id);
	rt_buffer_text(json, "\",\"email\":\"");
	rt_buffer_text(json, session->test_id);
	rt_buffer_text(json, "@");
	rt_buffer_text(json, rt_config()->tester_domain);
	rt_buffer_text(json, "\",\"expiresAt\":\"");
	rt_buffer_text(json, rt_time_format(ctx, session->expires_at_ms));
	rt_buffer_text(json, "\"");
}

/* The stored result is a JSON object as text. Copying its members as text saves parsing and
 * formatting them at each poll. */
void session_text_end_completed(const char *result, struct rt_buffer *json)
{
	rt_buffer_text(json, ",\"status\":\"completed\",");
	rt_buffer_text(json, result + 1);
}

const char *session_text_notice(
	struct rt_ctx *ctx, const struct eds_session *session, const char *result)
{
	struct rt_buffer json;

	if (session->callback_url == NULL)
		return NULL;
	session_text_begin(ctx, session, &json);
	session_text_end_completed(result, &json);
	return json.bytes;
}
