/* A report that came as the body of a request. */
#ifndef REPORTS_BODY_H
#define REPORTS_BODY_H

#include "runtime/event/event.h"

/* What may come. */
struct report_body_form {
	const char *name;         /* of it in a sentence: "report" */
	const char *const *types; /* of media; a NULL ends them */
	const char *wanted;       /* said to who sends another type */
	int max;                  /* octets */
};

/* RT_BAD_INPUT "media-type-unsupported", "body-missing", "body-too-large". */
RT_MUST_USE rt_status report_body_check(
	struct rt_ctx *ctx, const struct rt_request *req, const struct report_body_form *form);

/* The body in a file without a name, for the reader; closed with the event. RT_TEMPORARY
 * "mail-store-failed". */
RT_MUST_USE rt_status report_body_file(struct rt_ctx *ctx, const struct rt_request *req, int *fd);

/* The request in the place of a message: the same body is the same message, so that a request that
 * is sent again finds its lines. kind: "post", "file". */
struct rt_mail_event *report_body_message(
	struct rt_ctx *ctx, const struct rt_request *req, const char *kind);

#endif
