/* Stores mail that its function could not process: SPOOL/failed/MESSAGEID.eml, and MESSAGEID.json
 * with {messageId, function, recipients, mailFrom, clientIp, helo, tls, protocol, receivedAt,
 * failedAt, reason}. */
#ifndef RUNNER_DISPATCH_FAILED_H
#define RUNNER_DISPATCH_FAILED_H

#include "local/spool/spool-record.h"

enum {
	FAILED_REPORT_BYTES_MAX = 64 * 1024,
};

struct failed_mail {
	/* the mail as received, without the Received field of this server */
	struct spool_mail mail;
	struct spool_target target;
	const char *reason;
};

/* Stores the message and its report. folder: descriptor of the spool's folder. The spool syncs
 * these files before it deletes the message. RT_TEMPORARY "failed-not-kept". */
RT_MUST_USE rt_status failed_keep(struct rt_ctx *ctx, int folder, const struct spool_mail *mail,
	const struct spool_target *target, const char *reason);

/* Deletes failed mail that is more than this many hours old. */
void failed_expire(int folder, int hours);

#endif
