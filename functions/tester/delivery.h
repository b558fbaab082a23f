/* A message on its way to the sessions that it was sent to: analysed, and its result stored.
 *
 * A message is analysed once, however often its event comes. Of a session's messages the newest is
 * kept: the others lose their results and their bytes. One that nobody waits for is deleted, as
 * when the address expired while it was under way.
 *
 * Who asks mail-accept, or hands a message in over HTTP, has refused what is too large or past the
 * quotas of test mail. What comes in otherwise, from SES or a bucket, is deleted here with a line
 * in the log.
 */
#ifndef TESTER_DELIVERY_H
#define TESTER_DELIVERY_H

#include "functions/lib/store/tester/upload.h"
#include "runtime/event/event.h"

/* sent_by: the address whose room the message takes, NULL for the message's client. *holding: how
 * many sessions hold the message's result now. The failures of analysis_run() and of the stores:
 * then it may be tried again. */
RT_MUST_USE rt_status delivery_run(struct rt_ctx *ctx, struct eds_store *store,
	const struct rt_mail_event *mail, const char *sent_by, size_t *holding);

/* The same for a message that came over HTTP, claimed before: settles the claim. A message that
 * failed EDS_UPLOAD_TRIES times is given up, with a line in the log; so is one without bytes, whose
 * client was never told that they were stored. */
RT_MUST_USE rt_status delivery_of_upload(struct rt_ctx *ctx, struct eds_store *store,
	const struct eds_upload *upload, size_t *holding);

#endif
