#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "runtime/event/etag.h"
#include "runtime/event/event-http.h"
#include "runtime/event/event.h"
#include "runtime/event/problem.h"
#include "runtime/event/response.h"
#include "runtime/json-format.h"
#include "runtime/text/base64.h"
#include "runtime/text/json-string.h"

void rt_response_header(struct rt_response *res, const char *name, const char *value)
{
	size_t i = 0;

	while (i < res->header_count && strcasecmp(res->headers[i].name, name) != 0)
		i++;
	if (i == RT_RESPONSE_HEADERS_MAX)
		return;
	res->headers[i].name = name;
	res->headers[i].value = value;
	if (i == res->header_count)
		res->header_count++;
}

const char *rt_response_header_of(const struct rt_response *res, const char *name)
{
	for (size_t i = 0; i < res->header_count; i++)
		if (strcasecmp(res->headers[i].name, name) == 0)
			return res->headers[i].value;
	return NULL;
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

static json_t *wrap(json_t *value)
{
	json_t *wrapped = json_object();

	rt_json_set(wrapped, "data", value);
	return wrapped;
}

rt_status rt_respond_data(struct rt_ctx *ctx, struct rt_response *res, int status, json_t *value)
{
	return rt_respond_json(ctx, res, status, wrap(value));
}

const char *rt_data_etag(struct rt_ctx *ctx, json_t *value)
{
	size_t length;
	const char *body = rt_json_format(ctx, wrap(json_incref(value)), &length);

	return rt_etag(ctx, body, length);
}

/* True for a field that describes the body of a success or a new resource. An answer with a failure
 * has another body and no new resource, and a 304 has no body. */
static bool is_of_success(const char *name)
{
	static const char *const names[] = {"content-disposition", "content-encoding",
		"content-language", "content-type", "etag", "last-modified", "link", "location"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return false;
}

static void keep_common_headers(struct rt_response *res)
{
	size_t kept = 0;

	for (size_t i = 0; i < res->header_count; i++)
		if (!is_of_success(res->headers[i].name))
			res->headers[kept++] = res->headers[i];
	res->header_count = kept;
}

static bool is_shown(const struct rt_request *req, const struct rt_response *res)
{
	const char *type = rt_response_header_of(res, "content-type");

	return res->status == 200 && type != NULL && strcmp(type, "application/json") == 0 &&
		strcmp(req->method, "DELETE") != 0;
}

void rt_response_tag(struct rt_ctx *ctx, const struct rt_request *req, struct rt_response *res)
{
	const char *etag;

	if (!is_shown(req, res) || rt_response_header_of(res, "etag") != NULL)
		return;
	etag = rt_etag(ctx, res->body, res->body_length);
	if (res->settings != NULL)
		etag = rt_etag_of_both(
			ctx, rt_etag(ctx, res->settings, strlen(res->settings)), etag);
	if (rt_request_has_tag(ctx, req, &etag)) {
		keep_common_headers(res);
		res->status = 304;
		res->body = NULL;
		res->body_length = 0;
	}
	rt_response_header(res, "etag", etag);
}

void rt_respond_problem(struct rt_ctx *ctx, struct rt_response *res)
{
	const struct rt_failure *failure = &ctx->failure;
	size_t length;

	keep_common_headers(res);
	res->base64 = false;
	res->status = rt_problem_status(failure->category, failure->code);
	res->body = rt_json_format(ctx, rt_problem_json(ctx, res->status, failure), &length);
	res->body_length = length;
	rt_response_header(res, "content-type", "application/problem+json");
	if (failure->retry_after_s > 0)
		rt_response_header(
			res, "retry-after", rt_printf(ctx, "%d", failure->retry_after_s));
	/* Shows that the coding, not the media type, is the problem (RFC 9110 section 15.5.16). */
	if (res->status == 415 && strcmp(failure->code, "content-coding-unsupported") == 0)
		rt_response_header(res, "accept-encoding", "identity");
	/* RFC 9110 section 15.5.2: a 401 must have WWW-Authenticate. */
	if (failure->category == RT_UNAUTHORIZED)
		rt_response_header(res, "www-authenticate", "Bearer");
}

static const char *listed(struct rt_ctx *ctx, const char *list, const char *item)
{
	return *list == '\0' ? item : rt_printf(ctx, "%s, %s", list, item);
}

void rt_respond_limits(struct rt_ctx *ctx, struct rt_response *res)
{
	const char *policies = "";
	const char *left = "";

	for (size_t i = 0; i < ctx->limit_count; i++) {
		const struct rt_limit *limit = &ctx->limits[i];

		policies = listed(ctx, policies,
			rt_printf(ctx, "\"%s\";q=%d;w=%d", limit->name, limit->quota,
				limit->window_s));
		if (limit->left >= 0)
			left = listed(ctx, left,
				rt_printf(ctx, "\"%s\";r=%d;t=%d", limit->name, limit->left,
					limit->restored_s));
	}
	if (*policies != '\0')
		rt_response_header(res, "ratelimit-policy", policies);
	if (*left != '\0')
		rt_response_header(res, "ratelimit", left);
}

json_t *rt_failure_json(struct rt_ctx *ctx)
{
	json_t *answer = json_object();

	rt_json_set_text(ctx, answer, "errorType",
		rt_printf(ctx, "%s.%s", rt_status_name(ctx->failure.category), ctx->failure.code));
	rt_json_set_text(ctx, answer, "errorMessage", ctx->failure.detail);
	return answer;
}

static void write_text(struct rt_buffer *out, const char *text)
{
	rt_json_string_add(out, text, strlen(text));
}

static void write_headers(struct rt_buffer *out, const struct rt_response *res)
{
	for (size_t i = 0; i < res->header_count; i++) {
		if (i > 0)
			rt_buffer_text(out, ",");
		write_text(out, res->headers[i].name);
		rt_buffer_text(out, ":");
		write_text(out, res->headers[i].value);
	}
}

static void write_start(struct rt_buffer *out, const struct rt_response *res)
{
	rt_buffer_text(out, "{\"statusCode\":");
	rt_buffer_integer(out, res->status);
	rt_buffer_text(out, ",\"headers\":{");
	write_headers(out, res);
}

void rt_response_write_head(struct rt_buffer *out, const struct rt_response *res)
{
	write_start(out, res);
	rt_buffer_text(out, "}}");
}

void rt_response_write(struct rt_buffer *out, const struct rt_response *res)
{
	const char *body = res->body != NULL ? res->body : "";

	write_start(out, res);
	rt_buffer_text(out, "},\"body\":");
	if (res->base64)
		write_text(out, rt_base64_encode(out->ctx, body, res->body_length));
	else
		rt_json_string_add(out, body, res->body_length);
	rt_buffer_text(
		out, res->base64 ? ",\"isBase64Encoded\":true}" : ",\"isBase64Encoded\":false}");
}
