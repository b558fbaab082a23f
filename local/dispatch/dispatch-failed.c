#include "local/dispatch/dispatch-failed.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/dispatch/event-mail.h"
#include "local/spool/spool-folder.h"
#include "runtime/buffer.h"
#include "runtime/host/json-write.h"
#include "runtime/io.h"

enum {
	FOLDER_MODE = 0700,
	FILE_MODE = 0600,
};

/* Writes a file. Does not sync it: the spool syncs failed/ before it deletes the segment
 * (local/spool/spool-remover.h). */
static bool write_file(int folder, const char *name, const char *head, size_t head_length,
	const char *body, size_t body_length)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FILE_MODE);
	bool ok;

	if (fd < 0)
		return false;
	ok = rt_write_all(fd, head, head_length) && rt_write_all(fd, body, body_length);
	ok = close(fd) == 0 && ok;
	if (!ok)
		unlinkat(folder, name, 0);
	return ok;
}

static void write_member(struct rt_buffer *out, const char *name, const char *value)
{
	rt_buffer_format(out, "\"%s\":", name);
	json_write_text(out, value);
	rt_buffer_text(out, ",");
}

static void write_report(struct rt_ctx *ctx, struct rt_buffer *out, const struct spool_mail *mail,
	const struct spool_target *target, const char *reason)
{
	rt_buffer_text(out, "{");
	write_member(out, "messageId", target->message_id);
	write_member(out, "function", target->function);
	write_member(out, "mailFrom", mail->mail_from);
	write_member(out, "clientIp", mail->client_ip);
	write_member(out, "helo", mail->helo);
	write_member(out, "tls", mail->tls);
	write_member(out, "protocol", mail->protocol);
	write_member(out, "receivedAt", rt_time_format(ctx, mail->received_at_ms));
	write_member(out, "failedAt", rt_time_format(ctx, rt_wall_ms()));
	write_member(out, "reason", reason);
	rt_buffer_text(out, "\"recipients\":[");
	for (size_t i = 0; i < target->recipient_count; i++) {
		rt_buffer_text(out, i > 0 ? "," : "");
		json_write_text(out, target->recipients[i]);
	}
	rt_buffer_text(out, "]}\n");
}

rt_status failed_keep(struct rt_ctx *ctx, int folder, const struct spool_mail *mail,
	const struct spool_target *target, const char *reason)
{
	const char *message = rt_printf(ctx, "failed/%s.eml", target->message_id);
	const char *report = rt_printf(ctx, "failed/%s.json", target->message_id);
	const char *received = event_mail_received(ctx, mail, target);
	struct rt_buffer text;
	bool ok = mkdirat(folder, "failed", FOLDER_MODE) == 0 || errno == EEXIST;

	rt_buffer_init_heap(&text, FAILED_REPORT_BYTES_MAX);
	write_report(ctx, &text, mail, target, reason);
	ok = ok &&
		write_file(
			folder, message, received, strlen(received), mail->message, mail->length) &&
		write_file(folder, report, text.bytes, text.length, "", 0);
	rt_buffer_done(&text);
	if (!ok)
		return rt_fail(ctx, RT_TEMPORARY, "failed-not-kept",
			"undeliverable mail cannot be kept: %s", strerror(errno));
	return RT_OK;
}

void failed_expire(int folder, int hours)
{
	spool_folder_expire(folder, "failed", hours);
}
