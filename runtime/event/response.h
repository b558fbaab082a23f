/* Builds the answer to an HTTP event, and writes it. */
#ifndef RT_RESPONSE_H
#define RT_RESPONSE_H

#include "runtime/event/event.h"

void rt_response_header(struct rt_response *res, const char *name, const char *value);

/* The value of the field; NULL when absent. */
const char *rt_response_header_of(const struct rt_response *res, const char *name);
RT_MUST_USE rt_status rt_respond_json(
	struct rt_ctx *ctx, struct rt_response *res, int status, const json_t *value);

/* Answers with the JSON object {"data": value}. */
RT_MUST_USE rt_status rt_respond_data(
	struct rt_ctx *ctx, struct rt_response *res, int status, json_t *value);

/* The ETag of the answer that rt_respond_data() makes from this value. */
const char *rt_data_etag(struct rt_ctx *ctx, json_t *value);

/* Sets the ETag of a JSON answer with status 200, unless the answer already has an ETag or the
 * method of the request is DELETE. Changes the answer to 304 if the If-None-Match of a GET or HEAD
 * names that ETag. Called for every answer of an HTTP function that is not a failure. */
void rt_response_tag(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res);

RT_MUST_USE rt_status rt_respond_bytes(struct rt_ctx *ctx, struct rt_response *res, int status,
	const char *content_type, const char *body, size_t length, bool base64);

/* Sets RateLimit-Policy, and RateLimit if the remaining number is known, from the context's limits
 * (draft-ietf-httpapi-ratelimit-headers-10):
 *
 *     RateLimit-Policy: "checks";q=60;w=3600
 *     RateLimit: "checks";r=59;t=3600
 */
void rt_respond_limits(struct rt_ctx *ctx, struct rt_response *res);

/* Answers with the context's failure as application/problem+json (RFC 9457), with the status of
 * rt_problem_status(). Header fields that were set before remain, except those that describe the
 * body of a success or a new resource (for example ETag and Location), since this answer has
 * neither.
 *
 * rt_failure_json() gives the failure as {"errorType", "errorMessage"}, for events that are not
 * HTTP requests. */
void rt_respond_problem(struct rt_ctx *ctx, struct rt_response *res);
json_t *rt_failure_json(struct rt_ctx *ctx);

/* Writes the answer of an HTTP function, {statusCode, headers, body, isBase64Encoded}, directly,
 * without building JSON values. */
void rt_response_write(struct rt_buffer *out, const struct rt_response *res);

/* Writes the answer without its body, which is sent separately and is then never in base64. */
void rt_response_write_head(struct rt_buffer *out, const struct rt_response *res);

#endif
