#include "functions/reports/intake/body.h"
#include "runtime/event/event-http.h"
#include "runtime/time.h"

#include <sha2.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runtime/kernel.h"

static bool is_type(const char *content_type, const char *const *types)
{
	for (; content_type != NULL && *types != NULL; types++) {
		size_t length = strlen(*types);

		if (strncasecmp(content_type, *types, length) == 0 &&
			(content_type[length] == '\0' ||
				strchr("; \t", content_type[length]) != NULL))
			return true;
	}
	return false;
}

rt_status report_body_check(
	struct rt_ctx *ctx, const struct rt_request *req, const struct report_body_form *form)
{
	if (!is_type(rt_request_header(req, "content-type"), form->types))
		return rt_fail(ctx, RT_BAD_INPUT, "media-type-unsupported", "%s", form->wanted);
	if (req->body_length == 0)
		return rt_fail(
			ctx, RT_BAD_INPUT, "body-missing", "the request needs a %s", form->name);
	if (req->body_length > (size_t)form->max)
		return rt_fail(ctx, RT_BAD_INPUT, "body-too-large",
			"a %s may have %d octets at most", form->name, form->max);
	return RT_OK;
}

static void close_file(void *handle)
{
	close(*(int *)handle);
}

rt_status report_body_file(struct rt_ctx *ctx, const struct rt_request *req, int *fd)
{
	int *file = rt_alloc(ctx, sizeof *file);
	size_t written = 0;

	*fd = *file = rt_nameless_file("report");
	if (*file < 0)
		return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
			"the file for the report cannot be created");
	rt_on_release(ctx, close_file, file);
	while (written < req->body_length) {
		ssize_t count = write(*file, req->body + written, req->body_length - written);

		if (count <= 0)
			return rt_fail(ctx, RT_TEMPORARY, "mail-store-failed",
				"the report cannot be written");
		written += (size_t)count;
	}
	return RT_OK;
}

struct rt_mail_event *report_body_message(
	struct rt_ctx *ctx, const struct rt_request *req, const char *kind)
{
	struct rt_mail_event *mail = rt_alloc(ctx, sizeof *mail);
	char digest[SHA256_DIGEST_STRING_LENGTH];

	SHA256Data((const uint8_t *)req->body, req->body_length, digest);
	mail->message_id = rt_printf(ctx, "%s-%s", kind, digest);
	mail->received_at_ms = rt_wall_ms();
	mail->mail_from = "";
	return mail;
}
