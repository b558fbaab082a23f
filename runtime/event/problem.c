#include "runtime/event/problem.h"
#include "runtime/json-format.h"

#include <string.h>

static const struct {
	const char *name;
	int http;
} categories[] = {
	[RT_OK] = {"ok", 200},
	[RT_BAD_INPUT] = {"bad-input", 400},
	[RT_UNAUTHORIZED] = {"unauthorized", 401},
	[RT_FORBIDDEN] = {"forbidden", 403},
	[RT_NOT_FOUND] = {"not-found", 404},
	[RT_CONFLICT] = {"conflict", 409},
	[RT_LIMIT] = {"limit", 429},
	[RT_TEMPORARY] = {"temporary", 503},
	[RT_LATER] = {"later", 503},
	[RT_INTERNAL] = {"internal", 500},
};

/* Codes for which HTTP has a specific status. */
static const struct {
	const char *code;
	int http;
} exact[] = {
	{"body-too-large", 413},
	{"media-type-unsupported", 415},
	{"content-coding-unsupported", 415},
	{"version-changed", 412},
	{"idempotency-key-reused", 422},
};

static const struct {
	int http;
	const char *reason;
} reasons[] = {
	{100, "Continue"},
	{200, "OK"},
	{201, "Created"},
	{202, "Accepted"},
	{204, "No Content"},
	{304, "Not Modified"},
	{400, "Bad Request"},
	{401, "Unauthorized"},
	{403, "Forbidden"},
	{404, "Not Found"},
	{405, "Method Not Allowed"},
	{408, "Request Timeout"},
	{409, "Conflict"},
	{411, "Length Required"},
	{412, "Precondition Failed"},
	{413, "Content Too Large"},
	{414, "URI Too Long"},
	{415, "Unsupported Media Type"},
	{417, "Expectation Failed"},
	{421, "Misdirected Request"},
	{422, "Unprocessable Content"},
	{429, "Too Many Requests"},
	{431, "Request Header Fields Too Large"},
	{500, "Internal Server Error"},
	{501, "Not Implemented"},
	{502, "Bad Gateway"},
	{503, "Service Unavailable"},
	{504, "Gateway Timeout"},
	{505, "HTTP Version Not Supported"},
};

int rt_problem_status(rt_status category, const char *code)
{
	for (size_t i = 0; code != NULL && i < sizeof exact / sizeof exact[0]; i++)
		if (strcmp(exact[i].code, code) == 0)
			return exact[i].http;
	return categories[category].http;
}

const char *rt_http_reason(int status)
{
	for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
		if (reasons[i].http == status)
			return reasons[i].reason;
	return "Status";
}

const char *rt_status_name(rt_status category)
{
	return categories[category].name;
}

static json_t *field_errors(struct rt_ctx *ctx, const struct rt_failure *failure)
{
	json_t *errors = json_array();

	for (size_t i = 0; i < failure->field_count; i++) {
		json_t *item = json_object();

		rt_json_set_text(ctx, item, "field", failure->fields[i].field);
		rt_json_set_text(ctx, item, "detail", failure->fields[i].detail);
		rt_json_append(errors, item);
	}
	return errors;
}

/* The sentence for the client. Internal errors are not shown: the client only learns what to do,
 * and the operator finds the details in the log under the request's id. */
static const char *sentence(const struct rt_failure *failure)
{
	switch (failure->category) {
	case RT_TEMPORARY:
		return "the service cannot do this now; try again in a moment";
	case RT_INTERNAL:
		return "the service failed to do this; its log says why";
	default:
		return failure->detail;
	}
}

json_t *rt_problem_json(struct rt_ctx *ctx, int status, const struct rt_failure *failure)
{
	json_t *problem = json_object();

	rt_json_set_text(ctx, problem, "type", rt_printf(ctx, "/problems#%s", failure->code));
	rt_json_set_text(ctx, problem, "title", rt_http_reason(status));
	rt_json_set(problem, "status", json_integer(status));
	rt_json_set_text(ctx, problem, "detail", sentence(failure));
	rt_json_set_text(ctx, problem, "code", failure->code);
	if (failure->field_count > 0)
		rt_json_set(problem, "errors", field_errors(ctx, failure));
	return problem;
}
