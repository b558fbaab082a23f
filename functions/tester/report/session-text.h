/* The JSON text that is common to the answers to a GET of a tester session (session-json.h) and to
 * the messages that its callback receives. */
#ifndef EDS_TESTER_SESSION_TEXT_H
#define EDS_TESTER_SESSION_TEXT_H

#include "functions/lib/store/store.h"
#include "runtime/buffer.h"

enum {
	SESSION_TEXT_BYTES_MAX = 4 * 1024 * 1024,
};

/* Initializes *json with {"testId":"…","email":"…","expiresAt":"…" */
void session_text_begin(
	struct rt_ctx *ctx, const struct eds_session *session, struct rt_buffer *json);

/* Appends ,"status":"completed",…} with the members of result, a JSON object as text. */
void session_text_end_completed(const char *result, struct rt_buffer *json);

/* The body for the callback: the completed session as a GET shows it, but without the member
 * callback. NULL when the session has no callback. In ctx's memory. */
const char *session_text_notice(
	struct rt_ctx *ctx, const struct eds_session *session, const char *result);

#endif
