/* A report that came as the body of a request. */
#ifndef REPORTS_BODY_H
#define REPORTS_BODY_H

#include "runtime/event.h"

/* Whether a Content-Type is one of these; a NULL ends them. */
bool report_is_type(const char *content_type, const char *const *types);

/* The body in a file without a name, for the reader; closed with the event. RT_TEMPORARY
 * "mail-store-failed". */
RT_MUST_USE rt_status report_body_file(struct rt_ctx *ctx, const struct rt_request *req, int *fd);

/* The request in the place of a message: the same body is the same message, so that a request that
 * is sent again finds its lines. kind: "post", "file". */
struct rt_mail_event *report_body_message(
	struct rt_ctx *ctx, const struct rt_request *req, const char *kind);

#endif
