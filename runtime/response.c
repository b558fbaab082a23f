#include <stdio.h>

#include "runtime/base64.h"
#include "runtime/event.h"
#include "runtime/problem.h"

void rt_response_header(struct rt_response *res, const char *name, const char *value)
{
	if (res->header_count == RT_RESPONSE_HEADERS_MAX)
		return;
	res->headers[res->header_count].name = name;
	res->headers[res->header_count].value = value;
	res->header_count++;
}

rt_status rt_respond_bytes(struct rt_ctx *ctx, struct rt_response *res, int status,
	const char *content_type, const char *body, size_t length, bool base64)
{
	(void)ctx;
	res->status = status;
	res->body = body;
	res->body_length = length;
	res->base64 = base64;
	rt_response_header(res, "content-type", content_type);
	return RT_OK;
}

rt_status rt_respond_json(
	struct rt_ctx *ctx, struct rt_response *res, int status, const json_t *value)
{
	size_t length;
	char *body = rt_json_format(ctx, value, &length);

	return rt_respond_bytes(ctx, res, status, "application/json", body, length, false);
}

rt_status rt_respond_data(struct rt_ctx *ctx, struct rt_response *res, int status, json_t *value)
{
	json_t *wrapped = json_object();

	rt_json_set(wrapped, "data", value);
	return rt_respond_json(ctx, res, status, wrapped);
}

void rt_respond_problem(struct rt_ctx *ctx, struct rt_response *res)
{
	const struct rt_failure *failure = &ctx->failure;
	size_t length;

	res->header_count = 0;
	res->base64 = false;
	res->status = rt_problem_status(failure->category, failure->code);
	res->body = rt_json_format(ctx, rt_problem_json(ctx, res->status, failure), &length);
	res->body_length = length;
	rt_response_header(res, "content-type", "application/problem+json");
	if (failure->retry_after_s > 0)
		rt_response_header(
			res, "retry-after", rt_printf(ctx, "%d", failure->retry_after_s));
	if (failure->category == RT_UNAUTHORISED)
		rt_response_header(res, "www-authenticate", "Bearer");
}

json_t *rt_failure_json(struct rt_ctx *ctx)
{
	json_t *answer = json_object();

	rt_json_set_text(ctx, answer, "errorType",
		rt_printf(ctx, "%s.%s", rt_status_name(ctx->failure.category), ctx->failure.code));
	rt_json_set_text(ctx, answer, "errorMessage", ctx->failure.detail);
	return answer;
}

json_t *rt_response_json(struct rt_ctx *ctx, const struct rt_response *res)
{
	json_t *answer = json_object();
	json_t *headers = json_object();
	const char *body = res->body != NULL ? res->body : "";

	for (size_t i = 0; i < res->header_count; i++)
		rt_json_set_text(ctx, headers, res->headers[i].name, res->headers[i].value);
	rt_json_set(answer, "statusCode", json_integer(res->status));
	rt_json_set(answer, "headers", headers);
	if (res->base64)
		rt_json_set_text(
			ctx, answer, "body", rt_base64_encode(ctx, body, res->body_length));
	else
		rt_json_set(answer, "body", json_stringn_nocheck(body, res->body_length));
	rt_json_set(answer, "isBase64Encoded", json_boolean(res->base64));
	return answer;
}
