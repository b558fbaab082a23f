/* Prepares mail for a function: the copy in the mail store, and the event that names it.
 *
 * The event is the SES receipt notification, with an `envelope` beside `ses`:
 *
 *     {"Records":[{"eventSource":"aws:ses","eventVersion":"1.0",
 *       "ses":{"mail":{"timestamp","source","messageId","destination":[],"headersTruncated",
 *                      "headers":[{"name","value"}],"commonHeaders":{}},
 *              "receipt":{"timestamp","processingTimeMillis","recipients":[],"spfVerdict":
 *                      {"status":"GRAY"},…,"action":{}}},
 *       "envelope":{"clientIp","helo","mailFrom","tls"},"comesAgain":true}],
 *      "traceparent":"00-…"}
 */
#ifndef RUNNER_EVENT_MAIL_H
#define RUNNER_EVENT_MAIL_H

#include "local/spool/spool-record.h"
#include "runtime/buffer.h"

enum {
	EVENT_MAIL_BYTES_MAX = 1024 * 1024,
	/* maximum number of octets of the message's header fields in an event, without the Received
	 * field of this server; SES has the same limit */
	EVENT_MAIL_HEADER_BYTES_MAX = 10 * 1024,
	EVENT_MAIL_FIELDS_MAX = 200,
};

/* The Received field that this server adds at the top of the message, with its line end (RFC 5321
 * section 4.4): Received: from HELO (unknown [IP]) by HOST with PROTOCOL id ID; DATE */
char *event_mail_received(
	struct rt_ctx *ctx, const struct spool_mail *mail, const struct spool_target *target);

/* Stores the target's copy of the message in the mail store. RT_TEMPORARY "mail-store-failed". */
RT_MUST_USE rt_status event_mail_store(
	struct rt_ctx *ctx, const struct spool_mail *mail, const struct spool_target *target);

/* Appends the event to out, as one line without its line end. comes_again: the function may put the
 * mail off, and the event is then sent again. The event has the member "comesAgain" only if
 * comes_again is true. */
void event_mail_write(struct rt_ctx *ctx, struct rt_buffer *out, const struct spool_mail *mail,
	const struct spool_target *target, bool comes_again);

#endif
