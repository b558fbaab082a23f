#include "runtime/mail-store/mailstore.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "runtime/aws/http.h"
#include "runtime/config/config.h"
#include "runtime/mail-store/mailstore-driver.h"

static void close_descriptor(void *handle)
{
	close((int)(intptr_t)handle);
}

void rt_mailstore_close_later(struct rt_ctx *ctx, int fd)
{
	rt_on_release(ctx, close_descriptor, (void *)(intptr_t)fd);
}

/* True for a valid message id. The id becomes part of a path or an object key, so it must not
 * contain a slash or begin with a dot. */
static bool is_id(const char *message_id)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
	size_t length = strlen(message_id);

	return length > 0 && length <= RT_MESSAGE_ID_MAX && message_id[0] != '.' &&
		strspn(message_id, allowed) == length;
}

static rt_status check_id(struct rt_ctx *ctx, const char *message_id)
{
	if (!is_id(message_id))
		return rt_fail(ctx, RT_BAD_INPUT, "message-id-invalid",
			"a message id must be 1 to %d letters, digits, hyphens, underscores and dots",
			RT_MESSAGE_ID_MAX);
	return RT_OK;
}

rt_status rt_mailstore_missing(struct rt_ctx *ctx, const char *message_id)
{
	return rt_fail(ctx, RT_NOT_FOUND, "message-not-found", "the mail store has no message %s",
		message_id);
}

void rt_mailstore_add_name(
	struct rt_ctx *ctx, struct rt_mailstore_names *names, const char *message_id)
{
	if (is_id(message_id) && names->count < RT_MAILSTORE_NAMES_MAX)
		names->items[names->count++] = rt_strdup(ctx, message_id);
}

bool rt_mailstore_is_remote(void)
{
	return strncmp(rt_config()->mail_store, "s3:", 3) == 0;
}

static const struct rt_mailstore_driver *driver(void)
{
	return rt_mailstore_is_remote() ? &rt_mailstore_s3 : &rt_mailstore_file;
}

rt_status rt_mailstore_put(struct rt_ctx *ctx, const char *message_id, const struct iovec *parts,
	int part_count, bool sync)
{
	RT_TRY(check_id(ctx, message_id));
	return driver()->put(ctx, message_id, parts, part_count, sync);
}

rt_status rt_mailstore_open(struct rt_ctx *ctx, const char *message_id, int *fd, size_t *bytes)
{
	RT_TRY(check_id(ctx, message_id));
	return driver()->open(ctx, message_id, fd, bytes);
}

rt_status rt_mailstore_delete(struct rt_ctx *ctx, const char *message_id)
{
	RT_TRY(check_id(ctx, message_id));
	return driver()->remove(ctx, message_id);
}

rt_status rt_mailstore_list(struct rt_ctx *ctx, int64_t before_ms, struct rt_mailstore_names *names)
{
	names->count = 0;
	return driver()->list(ctx, before_ms, names);
}

void rt_mailstore_thread_done(void)
{
	aws_http_done();
}
