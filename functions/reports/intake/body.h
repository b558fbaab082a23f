/* A report that arrived as the body of a request. */
#ifndef REPORTS_BODY_H
#define REPORTS_BODY_H

#include "runtime/event/event.h"

/* The accepted bodies. */
struct report_body_form {
	const char *name;         /* its name in a sentence: "report" */
	const char *const *types; /* media types; NULL ends them */
	const char *wanted;       /* the sentence for any other type */
	int max;                  /* octets */
};

/* Checks the request's body. RT_BAD_INPUT "media-type-unsupported", "body-missing",
 * "body-too-large". */
RT_MUST_USE rt_status report_body_check(
	struct rt_ctx *ctx, const struct rt_request *req, const struct report_body_form *form);

/* Writes the body to a file without a name, for the reader; closed with the event. RT_TEMPORARY
 * "mail-store-failed". */
RT_MUST_USE rt_status report_body_file(struct rt_ctx *ctx, const struct rt_request *req, int *fd);

/* Represents the request as a message. The same body gives the same message id, so that a repeated
 * request finds its lines. kind: "post", "file". */
struct rt_mail_event *report_body_message(
	struct rt_ctx *ctx, const struct rt_request *req, const char *kind);

#endif
