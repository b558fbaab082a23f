#include <errno.h>
#include <string.h>

#include "runtime/aws/sigv4.h"
#include "runtime/config/config.h"
#include "runtime/kernel.h"
#include "runtime/mail-store/mailstore-driver.h"
#include "runtime/s3/client.h"
#include "runtime/s3/list.h"
#include "runtime/time.h"

enum {
	STATUS_NOT_FOUND = 404,
};

static rt_status locate(struct rt_ctx *ctx, struct s3_location *location)
{
	return s3_location_read(ctx, rt_config()->mail_store, location);
}

static struct s3_call about_message(struct rt_ctx *ctx, const struct s3_location *location,
	const char *method, const char *message_id)
{
	return (struct s3_call){
		.method = method,
		.key = rt_printf(ctx, "%s%s", location->prefix, message_id),
		.query = "",
		.sink = -1,
	};
}

/* sync is ignored: an object is durable once S3 has answered. */
static rt_status put(struct rt_ctx *ctx, const char *message_id, const struct iovec *parts,
	int part_count, bool sync)
{
	struct aws_http_answer answer;
	struct s3_location location;
	struct s3_call call;

	(void)sync;
	RT_TRY(locate(ctx, &location));
	call = about_message(ctx, &location, "PUT", message_id);
	call.parts = parts;
	call.part_count = part_count;
	RT_TRY(s3_call(ctx, &location, &call, &answer));
	if (answer.status == STATUS_NOT_FOUND)
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the mail store answers 404 when a message is stored; is the bucket "
			"missing?");
	return RT_OK;
}

static rt_status open_message(struct rt_ctx *ctx, const char *message_id, int *fd, size_t *bytes)
{
	struct aws_http_answer answer;
	struct s3_location location;
	struct s3_call call;

	RT_TRY(locate(ctx, &location));
	call = about_message(ctx, &location, "GET", message_id);
	*fd = rt_nameless_file("message");
	if (*fd < 0)
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the local file for the message cannot be created: %s", strerror(errno));
	rt_mailstore_close_later(ctx, *fd);
	call.sink = *fd;
	call.sink_bytes_max = RT_MAILSTORE_OBJECT_MAX;
	RT_TRY(s3_call(ctx, &location, &call, &answer));
	if (answer.status == STATUS_NOT_FOUND)
		return rt_mailstore_missing(ctx, message_id);
	if (!rt_nameless_file_seal(*fd))
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the local copy of the message cannot be made read-only");
	*bytes = answer.sunk_bytes;
	return RT_OK;
}

static rt_status remove_message(struct rt_ctx *ctx, const char *message_id)
{
	struct aws_http_answer answer;
	struct s3_location location;
	struct s3_call call;

	RT_TRY(locate(ctx, &location));
	call = about_message(ctx, &location, "DELETE", message_id);
	return s3_call(ctx, &location, &call, &answer);
}

static void add_old(struct rt_ctx *ctx, const struct s3_location *location,
	const struct s3_page *page, int64_t before_ms, struct rt_mailstore_names *names)
{
	size_t prefix = strlen(location->prefix);

	for (size_t i = 0; i < page->count; i++)
		if (page->objects[i].modified_at_ms < before_ms &&
			strncmp(page->objects[i].key, location->prefix, prefix) == 0)
			rt_mailstore_add_name(ctx, names, page->objects[i].key + prefix);
}

/* The query with its parameters sorted, as the signature requires. */
static const char *list_query(
	struct rt_ctx *ctx, const struct s3_location *location, const char *token)
{
	const char *continued = token == NULL
		? ""
		: rt_printf(ctx, "continuation-token=%s&", sigv4_encode(ctx, token, false));

	return rt_printf(ctx, "%sdelimiter=%%2F&encoding-type=url&list-type=2&prefix=%s", continued,
		sigv4_encode(ctx, location->prefix, false));
}

/* Lists one page, in separate memory, because a bucket may have thousands of pages. */
static rt_status list_page(struct rt_ctx *ctx, const struct s3_location *location,
	int64_t before_ms, struct rt_mailstore_names *names, const char **next)
{
	struct rt_ctx inner = {.arena = rt_arena_new(), .deadline_ms = ctx->deadline_ms};
	struct s3_page *page = rt_alloc(&inner, sizeof *page);
	const struct s3_call call = {
		.method = "GET",
		.key = "",
		.query = list_query(&inner, location, *next),
		.sink = -1,
	};
	struct aws_http_answer answer;
	rt_status status = s3_call(&inner, location, &call, &answer);

	if (status != RT_OK)
		status = rt_fail(
			ctx, RT_TEMPORARY, "mail-store-failed", "%s", inner.failure.detail);
	else if (!s3_list_parse(&inner, answer.body.bytes, answer.body.length, page))
		status = rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the list of messages that the mail store sent cannot be read");
	else
		add_old(ctx, location, page, before_ms, names);
	*next = status == RT_OK && page->next != NULL ? rt_strdup(ctx, page->next) : NULL;
	rt_arena_free(inner.arena);
	return status;
}

/* Lists the messages that it finds before the deadline; the next call starts from the beginning. */
static rt_status list(struct rt_ctx *ctx, int64_t before_ms, struct rt_mailstore_names *names)
{
	struct s3_location location;
	const char *next = NULL;

	RT_TRY(locate(ctx, &location));
	do {
		RT_TRY(list_page(ctx, &location, before_ms, names, &next));
	} while (next != NULL && names->count < RT_MAILSTORE_NAMES_MAX &&
		rt_remaining_ms(ctx) > S3_TRY_MS);
	return RT_OK;
}

const struct rt_mailstore_driver rt_mailstore_s3 = {
	.put = put,
	.open = open_message,
	.remove = remove_message,
	.list = list,
};
