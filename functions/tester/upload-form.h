/* A message that a client uploads over HTTP: either the message itself with its envelope in the
 * query, or JSON with both.
 *
 *     POST …/message?clientIp=192.0.2.1&helo=mail.example.com&mailFrom=a@example.com
 *     Content-Type: message/rfc822
 *
 *     {"messageBase64": "RnJvbTog…", "clientIp": "192.0.2.1", "helo": "mail.example.com"}
 */
#ifndef TESTER_UPLOAD_FORM_H
#define TESTER_UPLOAD_FORM_H

#include "runtime/event/event.h"

enum {
	/* Maximum size of the message, as SMTP would transfer it. If EDS_TESTER_MESSAGE_MAX is
	 * less, it applies instead. */
	UPLOAD_BYTES_MAX = 10 * 1024 * 1024,
};

struct upload_form {
	/* the message, with CR LF as line end, unless the client sent both kinds of line end */
	const char *message;
	size_t length;
	/* address of the client that sent the mail, in its usual form; "" when not given */
	const char *client_ip;
	const char *helo;      /* HELO name of the client that sent the mail; "" when not given */
	const char *mail_from; /* envelope sender without <>; "" for <> and when not given */
};

/* Reads the request. Fails with RT_BAD_INPUT "body-missing", "body-too-large" (413),
 * "media-type-unsupported" (415), "field-invalid" and "field-unknown" with the name of the field,
 * and for JSON with the errors of rt_body_object(). */
RT_MUST_USE rt_status upload_form_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct upload_form *form);

#endif
