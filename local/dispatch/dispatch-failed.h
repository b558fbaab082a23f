/* Mail that no function could deal with: SPOOL/failed/MESSAGEID.eml, and MESSAGEID.json with
 * {messageId, function, recipients, mailFrom, clientIp, helo, tls, protocol, receivedAt, failedAt,
 * reason}. */
#ifndef RUNNER_DISPATCH_FAILED_H
#define RUNNER_DISPATCH_FAILED_H

#include "local/spool/spool-record.h"

enum {
	FAILED_REPORT_BYTES_MAX = 64 * 1024,
};

struct failed_mail {
	struct spool_mail mail; /* without our Received field, as it came */
	struct spool_target target;
	const char *reason;
};

/* folder: descriptor of the spool, which syncs the files before it forgets the message.
 * RT_TEMPORARY "failed-not-kept". */
RT_MUST_USE rt_status failed_keep(struct rt_ctx *ctx, int folder, const struct spool_mail *mail,
	const struct spool_target *target, const char *reason);

/* Deletes what is older. */
void failed_expire(int folder, int hours);

#endif
