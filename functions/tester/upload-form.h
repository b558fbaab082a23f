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
	UPLOAD_BYTES_MAX = 10 * 1024 * 1024, /* size of the message as SMTP would carry it;
						EDS_TESTER_MESSAGE_MAX, if that is less */
};

struct upload_form {
	const char *message; /* with CR LF, unless it has both kinds of line end */
	size_t length;
	const char *client_ip; /* an address in its usual form, "" when not given */
	const char *helo;      /* "" when not given */
	const char *mail_from; /* without <>; "" for <> and when not given */
};

/* RT_BAD_INPUT "body-missing", "body-too-large" (413), "media-type-unsupported" (415),
 * "field-invalid" and "field-unknown" with the field, and for JSON the errors of rt_body_object().
 */
RT_MUST_USE rt_status upload_form_read(
	struct rt_ctx *ctx, const struct rt_request *req, struct upload_form *form);

#endif
