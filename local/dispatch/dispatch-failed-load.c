#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/dispatch/dispatch-failed-load.h"
#include "local/dispatch/dispatch-failed.h"
#include "local/dispatch/event-mail.h"
#include "runtime/json.h"
#include "runtime/time.h"

enum {
	RECEIVED_BYTES_MAX = 4096,
	FILE_BYTES_MAX = SPOOL_MESSAGE_BYTES_MAX + RECEIVED_BYTES_MAX,
};

static rt_status unreadable(struct rt_ctx *ctx, const char *name)
{
	return rt_fail(ctx, RT_TEMPORARY, "failed-unreadable", "%s cannot be read", name);
}

static rt_status check_id(struct rt_ctx *ctx, const char *id)
{
	if (id[0] == '\0' || id[0] == '.' || strchr(id, '/') != NULL)
		return rt_fail(ctx, RT_NOT_FOUND, "failed-not-found", "this is not a message id");
	return RT_OK;
}

static rt_status read_file(
	struct rt_ctx *ctx, int folder, const char *name, char **bytes, size_t *length)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat info;
	bool ok;

	if (fd < 0)
		return rt_fail(ctx, RT_NOT_FOUND, "failed-not-found",
			"there is no failed mail with this id: %s", strerror(errno));
	ok = fstat(fd, &info) == 0 && info.st_size <= FILE_BYTES_MAX;
	*length = ok ? (size_t)info.st_size : 0;
	*bytes = rt_alloc(ctx, *length + 1);
	ok = ok && read(fd, *bytes, *length) == (ssize_t)*length;
	close(fd);
	return ok ? RT_OK : unreadable(ctx, name);
}

/* The text of this member of the report; "" when it is missing. */
static const char *text_of(struct rt_ctx *ctx, const json_t *report, const char *name)
{
	const char *text = json_string_value(json_object_get(report, name));

	return rt_strdup(ctx, text == NULL ? "" : text);
}

static void read_target(struct rt_ctx *ctx, const json_t *report, struct spool_target *target)
{
	const json_t *recipients = json_object_get(report, "recipients");

	target->function = text_of(ctx, report, "function");
	target->message_id = text_of(ctx, report, "messageId");
	target->recipients = rt_alloc_array(ctx, SPOOL_TARGETS_MAX, sizeof *target->recipients);
	for (size_t i = 0; i < json_array_size(recipients) && i < SPOOL_TARGETS_MAX; i++) {
		const char *text = json_string_value(json_array_get(recipients, i));

		target->recipients[i] = rt_strdup(ctx, text == NULL ? "" : text);
		target->recipient_count++;
	}
}

static rt_status read_report(
	struct rt_ctx *ctx, int folder, const char *name, struct failed_mail *failed)
{
	json_t *report;
	size_t length;
	char *text;

	RT_TRY(read_file(ctx, folder, name, &text, &length));
	RT_TRY(rt_json_parse(ctx, text, length, &report));
	*failed = (struct failed_mail){.reason = text_of(ctx, report, "reason"),
		.mail = {.client_ip = text_of(ctx, report, "clientIp"),
			.helo = text_of(ctx, report, "helo"),
			.mail_from = text_of(ctx, report, "mailFrom"),
			.tls = text_of(ctx, report, "tls"),
			.protocol = text_of(ctx, report, "protocol"),
			.targets = &failed->target,
			.target_count = 1}};
	read_target(ctx, report, &failed->target);
	text = rt_strdup(ctx, text_of(ctx, report, "receivedAt"));
	json_decref(report);
	return rt_time_parse(text, &failed->mail.received_at_ms) ? RT_OK : unreadable(ctx, name);
}

rt_status failed_load(
	struct rt_ctx *ctx, int folder, const char *message_id, struct failed_mail *failed)
{
	const char *received;
	size_t length;
	char *message;

	RT_TRY(check_id(ctx, message_id));
	RT_TRY(read_report(ctx, folder, rt_printf(ctx, "failed/%s.json", message_id), failed));
	RT_TRY(read_file(
		ctx, folder, rt_printf(ctx, "failed/%s.eml", message_id), &message, &length));
	received = event_mail_received(ctx, &failed->mail, &failed->target);
	if (strncmp(message, received, strlen(received)) == 0) {
		message += strlen(received);
		length -= strlen(received);
	}
	failed->mail.message = message;
	failed->mail.length = length;
	return RT_OK;
}

rt_status failed_drop(struct rt_ctx *ctx, int folder, const char *message_id)
{
	RT_TRY(check_id(ctx, message_id));
	if (unlinkat(folder, rt_printf(ctx, "failed/%s.json", message_id), 0) != 0)
		return rt_fail(ctx, RT_NOT_FOUND, "failed-not-found",
			"there is no failed mail with this id: %s", strerror(errno));
	unlinkat(folder, rt_printf(ctx, "failed/%s.eml", message_id), 0);
	return RT_OK;
}
