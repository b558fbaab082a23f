/* Alert mails as they are sent: header and body, each line ended by CRLF, all in ASCII (the body is
 * UTF-8 in quoted-printable, RFC 2045 section 6.7). Untrusted text, for example from DNS, appears
 * only in the body, shortened and without control characters and Unicode's direction marks.
 *
 *     From: eds <alerts@tester.example.com>
 *     To: ops@example.org
 *     Subject: example.com: the DMARC policy was weakened or removed
 *     Auto-Submitted: auto-generated                          (RFC 3834 section 5)
 *     List-Unsubscribe: <https://eds.example.com/alerts/ID/off?key=SECRET>
 *     List-Unsubscribe-Post: List-Unsubscribe=One-Click       (RFC 8058)
 */
#ifndef ALERTS_MAIL_TEXT_H
#define ALERTS_MAIL_TEXT_H

#include "functions/lib/store/alerts/alert-mail.h"
#include "runtime/buffer.h"

enum {
	ALERT_MAIL_BYTES_MAX = 512 * 1024,
	ALERT_MAIL_VALUE_MAX = 600, /* maximum number of octets of each text in an event; longer
				     * texts are cut */
};

/* The address of the sender: EDS_ALERT_FROM, or by default alerts@ followed by the domain of the
 * test addresses (EDS_TESTER_DOMAIN).
 * alert_mail_domain() gives its domain. */
const char *alert_mail_from(struct rt_ctx *ctx);
const char *alert_mail_domain(struct rt_ctx *ctx);

/* Writes the mail that asks for confirmation (if mail->token is set), or the mail that reports
 * mail->events. Reduces mail->count when not all events fit. Its JSON is in the memory that jansson
 * uses during the call (runtime/json.h). */
void alert_mail_write(struct rt_ctx *ctx, struct eds_alert_mail *mail, struct rt_buffer *out);

#endif
