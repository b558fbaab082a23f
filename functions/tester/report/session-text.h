/* The text of a tester session's resource, as far as its answers to a GET (session-json.h) and what
 * its callback is told have it in common.
 */
#ifndef EDS_TESTER_SESSION_TEXT_H
#define EDS_TESTER_SESSION_TEXT_H

#include "functions/lib/store/store.h"
#include "runtime/buffer.h"

enum {
	SESSION_TEXT_BYTES_MAX = 4 * 1024 * 1024,
};

/* {"testId":"…","email":"…","expiresAt":"…" */
void session_text_begin(
	struct rt_ctx *ctx, const struct eds_session *session, struct rt_buffer *json);

/* ,"status":"completed",…} with the members of the result, a JSON object. */
void session_text_end_completed(const char *result, struct rt_buffer *json);

/* What the callback is told: the session as a GET shows it with this result, but for the callback
 * itself. */
const char *session_text_notice(
	struct rt_ctx *ctx, const struct eds_session *session, const char *result);

#endif
