#include "functions/lib/reports/mails.h"

#include <string.h>

#include "functions/lib/reports/container.h"
#include "functions/lib/reports/mime.h"
#include "runtime/buffer.h"
#include "runtime/text/ascii.h"

enum {
	MEMBER_BYTES_MAX = 15 * 1024 * 1024, /* a mail that arrives by SMTP may be as large */
	NAME_BYTES_MAX = 76,                 /* octets of the longest name of a field */
};

static bool is_mailbox(const char *bytes, size_t length)
{
	static const char mark[] = "From ";

	return length >= sizeof mark - 1 && memcmp(bytes, mark, sizeof mark - 1) == 0;
}

static bool is_mail(const char *bytes, size_t length)
{
	size_t at = 0;

	while (at < length && at < NAME_BYTES_MAX && (rt_is_alnum(bytes[at]) || bytes[at] == '-'))
		at++;
	return at > 0 && at < length && bytes[at] == ':';
}

bool eds_mails_are_in(const struct eds_intake *intake, struct eds_source *source, unsigned level)
{
	const char *block;
	size_t length;

	if (!intake->of_file || level > EDS_REPORT_CONTAINERS_MAX)
		return false;
	length = eds_source_peek(source, &block);
	return eds_container_kind(block, length) == EDS_CONTAINER_OTHER &&
		(is_mail(block, length) || is_mailbox(block, length));
}

/* The octets of the first mail of a mailbox file: up to the next line that begins with "From " and
 * follows an empty line. Other lines that begin so are text of the mail. */
static size_t first_mail(const char *bytes, size_t length)
{
	static const char mark[] = "\nFrom ";
	const char *at = bytes;

	while ((at = memmem(at, length - (size_t)(at - bytes), mark, sizeof mark - 1)) != NULL) {
		const char *before = at;

		if (before > bytes && before[-1] == '\r')
			before--;
		at++;
		if (before > bytes && before[-1] == '\n')
			return (size_t)(at - bytes);
	}
	return length;
}

static size_t first_line(const char *bytes, size_t length)
{
	const char *end = memchr(bytes, '\n', length);

	return end == NULL ? length : (size_t)(end - bytes) + 1;
}

static void read_mailbox(
	struct eds_intake *intake, const char *bytes, size_t length, unsigned level)
{
	while (length > 0 && eds_intake_goes_on(intake)) {
		size_t mail = first_mail(bytes, length);
		size_t line = first_line(bytes, mail);

		if (!eds_intake_member(intake)) {
			eds_intake_pass_over(intake, EDS_FAULT_ARCHIVE_MEMBERS, NULL, "");
			return;
		}
		eds_mime_read(intake, bytes + line, mail - line, level);
		bytes += mail;
		length -= mail;
	}
}

void eds_mails_read(struct eds_intake *intake, const char *bytes, size_t length, unsigned level)
{
	if (intake->of_file && is_mailbox(bytes, length))
		read_mailbox(intake, bytes, length, level);
	else
		eds_mime_read(intake, bytes, length, level);
}

void eds_mails_read_member(
	struct eds_intake *intake, struct eds_source *source, const char *file, unsigned level)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct rt_buffer mails;
	const char *block;
	size_t length;

	rt_buffer_init(&mails, &ctx, MEMBER_BYTES_MAX);
	while (!mails.overflow && (length = eds_source_read(source, &block)) > 0)
		rt_buffer_add(&mails, block, length);
	if (mails.overflow)
		eds_intake_pass_over(intake, EDS_FAULT_MAIL_LIMITS,
			"The mail or mailbox in the file is larger than 15 MiB.", file);
	else if (source->fault == EDS_FAULT_NONE)
		eds_mails_read(intake, mails.bytes, mails.length, level);
	rt_arena_free(ctx.arena);
}
