/* Delivers a message to the tester sessions that it was sent to: analyzes it, stores the result.
 *
 * A message is analyzed once, however often its event comes. A session keeps its newest message;
 * results and bytes of older ones are deleted. A message that no session waits for is deleted too,
 * for example when its address expired while the message was in transit.
 *
 * Receivers that ask mail-accept, and the upload over HTTP, refuse messages that are too large or
 * past the quotas of test mail. Mail that comes in otherwise, from SES or a bucket, is checked
 * against these limits here; if it exceeds one, it is deleted, with a line in the log.
 */
#ifndef TESTER_DELIVERY_H
#define TESTER_DELIVERY_H

#include "functions/lib/store/tester/upload.h"
#include "runtime/event/event.h"

/* Delivers a message that came by mail. sent_by: the IP address whose quota the message uses; NULL:
 * that of the message's client. *holding: the number of sessions that now have the message's
 * result. Fails as analysis_run() and the stores do; the caller may then try again. */
RT_MUST_USE rt_status delivery_run(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const char *sent_by, size_t *holding);

/* Delivers a message that arrived over HTTP and that the caller has claimed, and ends the claim.
 * Gives up, with a line in the log, a message that failed EDS_UPLOAD_TRIES times, and a message
 * whose bytes were never stored (its client was not told that the message was accepted). */
RT_MUST_USE rt_status delivery_of_upload(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_upload *upload, size_t *holding);

#endif
