#include "functions/admin/stack.h"
#include "runtime/json-format.h"

#include <string.h>

#include "functions/lib/store/schema/migrations.h"
#include "functions/lib/store/store.h"
#include "runtime/aws/http.h"
#include "runtime/log.h"

enum {
	TELL_MS = 10000,
	/* maximum number of octets that the reason takes from the text of the failure;
	 * CloudFormation accepts 4 KB for the whole answer */
	REASON_MAX = 1024,
	STATUS_OK = 200,
};

bool eds_admin_is_stack_event(const json_t *input)
{
	return rt_json_string(input, "RequestType") != NULL &&
		rt_json_string(input, "ResponseURL") != NULL;
}

/* CloudFormation matches the answer to its request by these members. */
static void copy_names(struct rt_ctx *ctx, const json_t *input, json_t *told)
{
	static const char *const names[] = {"StackId", "RequestId", "LogicalResourceId"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		rt_json_set_text(ctx, told, names[i], rt_json_string(input, names[i]));
	/* This id never changes: if it changed, the stack would delete the former resource. */
	rt_json_set_text(ctx, told, "PhysicalResourceId", "schema");
}

/* A request of type Delete changes nothing: the schema outlives the stack. */
static rt_status migrate(struct rt_ctx *ctx, const json_t *input)
{
	int from;
	int to;
	rt_status status;

	if (strcmp(rt_json_string(input, "RequestType"), "Delete") == 0)
		return RT_OK;
	ctx->deadline_ms -= TELL_MS; /* reserves time for reporting the outcome to the stack */
	status = eds_store_migrate(ctx, &from, &to);
	ctx->deadline_ms += TELL_MS;
	RT_TRY(status);
	rt_log(ctx, RT_LOG_INFO, "the schema was migrated from version %d to %d", from, to);
	return RT_OK;
}

static json_t *outcome(struct rt_ctx *ctx, const json_t *input)
{
	json_t *told = json_object();

	copy_names(ctx, input, told);
	if (migrate(ctx, input) == RT_OK) {
		rt_json_set_text(ctx, told, "Status", "SUCCESS");
		return told;
	}
	rt_log(ctx, RT_LOG_ERROR, "%s: %s", ctx->failure.code, ctx->failure.detail);
	rt_json_set_text(ctx, told, "Status", "FAILED");
	rt_json_set_text(ctx, told, "Reason",
		rt_printf(ctx, "%s: %.*s", ctx->failure.code, REASON_MAX, ctx->failure.detail));
	rt_fail_clear(ctx);
	return told;
}

/* The URL is presigned without a content type, so the request must not have one. */
static rt_status tell(struct rt_ctx *ctx, const char *url, const json_t *told)
{
	size_t length;
	char *text = rt_json_format(ctx, told, &length);
	const struct iovec body = {text, length};
	const struct aws_http_request request = {.method = "PUT",
		.url = url,
		.headers = {"Content-Type:"},
		.header_count = 1,
		.parts = &body,
		.part_count = 1,
		.sink = -1,
		.timeout_ms = TELL_MS};
	struct aws_http_answer answer;

	aws_http(ctx, &request, &answer);
	if (answer.status == STATUS_OK)
		return RT_OK;
	return rt_fail(ctx, RT_TEMPORARY, "stack-not-told",
		"the outcome cannot be reported to the stack: %s",
		answer.status != 0 ? rt_printf(ctx, "status %d", answer.status) : answer.error);
}

rt_status eds_admin_stack(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *url = rt_json_string(input, "ResponseURL");

	if (strncmp(url, "https://", strlen("https://")) != 0)
		return rt_fail(ctx, RT_BAD_INPUT, "field-invalid", "ResponseURL must be https://");
	*answer = outcome(ctx, input);
	return tell(ctx, url, *answer);
}
