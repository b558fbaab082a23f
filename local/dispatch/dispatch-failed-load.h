/* Reads a message back from SPOOL/failed, for `runner spool retry`. */
#ifndef RUNNER_DISPATCH_FAILED_LOAD_H
#define RUNNER_DISPATCH_FAILED_LOAD_H

#include "local/dispatch/dispatch-failed.h"

/* Reads the message and its report. RT_NOT_FOUND "failed-not-found", RT_TEMPORARY
 * "failed-unreadable"; RT_BAD_INPUT "json-invalid" when the report is not JSON. */
RT_MUST_USE rt_status failed_load(
	struct rt_ctx *ctx, int folder, const char *message_id, struct failed_mail *failed);

/* Deletes a failed message and its report. RT_NOT_FOUND "failed-not-found". */
RT_MUST_USE rt_status failed_drop(struct rt_ctx *ctx, int folder, const char *message_id);

#endif
