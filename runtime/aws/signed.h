/* A request to a service of AWS, signed with the credentials of the moment. */
#ifndef RT_AWS_SIGNED_H
#define RT_AWS_SIGNED_H

#include "runtime/aws/credentials.h"
#include "runtime/aws/endpoint.h"
#include "runtime/aws/http.h"

struct aws_signed_request {
	const struct aws_service *service;
	const char *region;
	struct aws_endpoint endpoint;
	const char *path;             /* percent-encoded as sent */
	const char *query;            /* likewise, its parameters in order; "" for none */
	const char *content_type;     /* NULL for none */
	const char *target;           /* of the x-amz-target field; NULL for none */
	struct aws_http_request http; /* all but URL, headers and time */
	int timeout_ms;               /* at most, and no longer than the event has */
};

/* Sends it once. What the service says is in the answer, status 0 when there is none, as when no
 * time is left. renew: the former credentials were refused as expired. Fails as
 * aws_credentials_get(). */
RT_MUST_USE rt_status aws_send(struct rt_ctx *ctx, const struct aws_signed_request *request,
	bool renew, struct aws_http_answer *answer);

#endif
