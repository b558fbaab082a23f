/* A request to a service of AWS, signed with the current credentials. */
#ifndef RT_AWS_SIGNED_H
#define RT_AWS_SIGNED_H

#include "runtime/aws/credentials.h"
#include "runtime/aws/endpoint.h"
#include "runtime/aws/http.h"

struct aws_signed_request {
	const struct aws_service *service;
	const char *region;
	struct aws_endpoint endpoint;
	const char *path;  /* path, percent-encoded as sent */
	const char *query; /* query, percent-encoded as sent, sorted by parameter; "" for none */
	const char *content_type; /* media type of the body; NULL for none */
	const char *target;       /* value of x-amz-target; NULL for none */
	/* method, body and sink; aws_send() adds URL, headers and time-out to a copy */
	struct aws_http_request http;
	int timeout_ms; /* longest time-out; it is shorter if the event's deadline is earlier */
};

/* Sends the request once. *answer has the service's reply; its status is 0 when there is no reply,
 * for example because no time is left. renew: true after AWS refused the previous credentials as
 * expired. Fails as aws_credentials_get() does. */
RT_MUST_USE rt_status aws_send(struct rt_ctx *ctx, const struct aws_signed_request *request,
	bool renew, struct aws_http_answer *answer);

#endif
