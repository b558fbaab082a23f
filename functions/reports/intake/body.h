/* A report that arrived as the body of a request. */
#ifndef REPORTS_BODY_H
#define REPORTS_BODY_H

#include "runtime/event/event.h"

/* The bodies that an endpoint accepts. */
struct report_body_form {
	const char *name;         /* name of the body in error sentences: "report" */
	const char *const *types; /* accepted media types, ended by NULL */
	const char *wanted;       /* error sentence for any other media type */
	int max;                  /* maximum size, octets */
};

/* Checks the request's body. RT_BAD_INPUT "media-type-unsupported", "body-missing",
 * "body-too-large". */
RT_MUST_USE rt_status report_body_check(
	struct rt_ctx *ctx, const struct rt_request *req, const struct report_body_form *form);

/* Writes the body to a file without a name, which the process that reads reports
 * (eds-report-reader) can read. *fd is closed when ctx is released. Fails with RT_TEMPORARY
 * "mail-store-failed". */
RT_MUST_USE rt_status report_body_file(struct rt_ctx *ctx, const struct rt_request *req, int *fd);

/* Represents the request as a mail. The message id is made from the body and kind ("post", "file"),
 * so that a repeated request finds the lines that the first request stored. */
struct rt_mail_event *report_body_message(
	struct rt_ctx *ctx, const struct rt_request *req, const char *kind);

#endif
