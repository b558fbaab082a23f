/* A handler for tests of faults. It accepts mail for every recipient. For each message it adds two
 * lines to keep.jsonl: the message, and then the length of disk.log (tests/support/fault-shim.c):
 *
 *     {"function":"keep","serial":"12","sha256":"…"}
 *     {"function":"keep","serial":"12","position":4711}
 *
 * serial is the message's X-Serial; sha256 is the hash of the message from this field on. A message
 * with X-Fail fails, one with X-Wait fails temporarily, unless there is a file `forgiving`.
 * Recipients that begin with "other" belong to the function `other`. */
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/event/handler.h"
#include "runtime/mail-store/mailstore.h"

enum {
	SERIAL_MAX = 32,
	FILE_MODE = 0600,
	DIGEST_BYTES = 32,
};

static const char *digest(struct rt_ctx *ctx, const char *bytes, size_t length)
{
	unsigned char sum[DIGEST_BYTES];
	char *text = rt_alloc(ctx, 2 * DIGEST_BYTES + 1);

	EVP_Digest(bytes, length, sum, NULL, EVP_sha256(), NULL);
	for (size_t i = 0; i < DIGEST_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
	return text;
}

static rt_status read_message(struct rt_ctx *ctx, const char *id, char **text, size_t *length)
{
	int fd;

	RT_TRY(rt_mailstore_open(ctx, id, &fd, length));
	*text = rt_alloc(ctx, *length + 1);
	if (pread(fd, *text, *length, 0) != (ssize_t)*length)
		return rt_fail(ctx, RT_TEMPORARY, "unreadable", "the message cannot be read");
	return RT_OK;
}

static rt_status write_line(struct rt_ctx *ctx, const char *line)
{
	int fd = open("keep.jsonl", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
	ssize_t written = write(fd, line, strlen(line));

	close(fd);
	return written == (ssize_t)strlen(line)
		? RT_OK
		: rt_fail(ctx, RT_TEMPORARY, "not-noted", "the line cannot be written");
}

static rt_status note(struct rt_ctx *ctx, const char *text, size_t length)
{
	const char *message = strstr(text, "X-Serial: ");
	struct stat log = {.st_size = 0};
	char serial[SERIAL_MAX] = "";
	const char *head;

	if (message == NULL)
		message = text + length;
	sscanf(message, "X-Serial: %31[0-9]", serial);
	head = rt_printf(ctx, "{\"function\":\"%s\",\"serial\":\"%s\"", ctx->function, serial);
	RT_TRY(write_line(ctx,
		rt_printf(ctx, "%s,\"sha256\":\"%s\"}\n", head,
			digest(ctx, message, (size_t)(text + length - message)))));
	stat("disk.log", &log);
	return write_line(
		ctx, rt_printf(ctx, "%s,\"position\":%lld}\n", head, (long long)log.st_size));
}

static rt_status take(struct rt_ctx *ctx, const char *id)
{
	size_t length;
	char *text;

	RT_TRY(read_message(ctx, id, &text, &length));
	if (access("forgiving", F_OK) == 0)
		return note(ctx, text, length);
	if (strstr(text, "\nX-Fail:") != NULL)
		return rt_fail(ctx, RT_INTERNAL, "asked-to", "the message asks for it");
	if (strstr(text, "\nX-Wait:") != NULL)
		return rt_fail(ctx, RT_TEMPORARY, "asked-to", "the message asks for patience");
	return note(ctx, text, length);
}

static rt_status handle(struct rt_ctx *ctx, const json_t *input, json_t **answer)
{
	const char *recipient = rt_json_string(input, "recipient");
	const json_t *record = json_array_get(json_object_get(input, "Records"), 0);
	const json_t *mail = json_object_get(json_object_get(record, "ses"), "mail");
	bool other = recipient != NULL && strncmp(recipient, "other", 5) == 0;

	if (recipient == NULL)
		return take(ctx, rt_json_string(mail, "messageId"));
	*answer = json_pack("{s:b,s:s}", "accept", 1, "function", other ? "other" : "keep");
	return RT_OK;
}

int main(int argc, char **argv)
{
	return rt_main_direct(argc, argv, handle);
}
