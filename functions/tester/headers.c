#include "functions/tester/headers.h"

#include <string.h>

#include "functions/lib/mail/date.h"
#include "functions/lib/mail/received.h"

/* The unfolded value of the field; NULL when the field is absent or has only white space. */
static const char *text_of(struct rt_ctx *ctx, const struct eds_header *header, const char *name)
{
	const struct eds_field *field = eds_header_find(header, name, 0);
	const char *text = field == NULL ? NULL : eds_field_text(ctx, field);

	return text == NULL || text[0] == '\0' ? NULL : text;
}

/* The first field which shows that a forwarder or a mailing list passed the message on. List-Id and
 * List-Unsubscribe do not count, since newsletters have them too; nor does ARC-Seal, which large
 * senders add themselves. */
static const char *find_passed_on(const struct eds_header *header)
{
	static const char *const names[] = {
		"Resent-From", "X-Forwarded-To", "X-Forwarded-For", "Delivered-To", "List-Post"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (eds_header_find(header, names[i], 0) != NULL)
			return names[i];
	return NULL;
}

static void check_date(struct rt_ctx *ctx, const struct eds_header *header, int64_t received_at_ms,
	struct headers_result *result)
{
	const char *text = text_of(ctx, header, "Date");

	if (text == NULL)
		result->date = header->limit[0] != '\0' ? DATE_UNKNOWN : DATE_MISSING;
	else if (!eds_date_parse(text, &result->date_ms))
		result->date = DATE_UNREADABLE;
	else if (result->date_ms > received_at_ms + DATE_FUTURE_MS)
		result->date = DATE_FUTURE;
	else if (result->date_ms < received_at_ms - DATE_PAST_MS)
		result->date = DATE_PAST;
	else
		result->date = DATE_OK;
}

/* True for <left@right>, with or without a comment beside it. */
static bool is_message_id(const char *text)
{
	const char *open = strchr(text, '<');
	const char *close = open != NULL ? strchr(open, '>') : NULL;
	const char *at = open != NULL ? strchr(open, '@') : NULL;

	return close != NULL && at != NULL && at > open + 1 && at + 1 < close &&
		strcspn(open, " \t") > (size_t)(close - open);
}

void headers_check(struct rt_ctx *ctx, const struct eds_header *header, int64_t received_at_ms,
	struct headers_result *result)
{
	memset(result, 0, sizeof *result);
	result->message_id = text_of(ctx, header, "Message-ID");
	result->message_id_missing = result->message_id == NULL && header->limit[0] == '\0';
	result->message_id_odd = result->message_id != NULL && !is_message_id(result->message_id);
	result->subject = text_of(ctx, header, "Subject");
	result->subject_missing = result->subject == NULL && header->limit[0] == '\0';
	result->handed_in = header->limit[0] == '\0' && eds_header_count(header, "Received") == 0;
	result->passed_on = find_passed_on(header);
	result->of_list = eds_header_count(header, "List-Id") > 0 ||
		eds_header_count(header, "List-Post") > 0;
	result->limit = header->limit;
	check_date(ctx, header, received_at_ms, result);
}

const char *date_state_name(enum date_state state)
{
	static const char *const names[] = {
		"ok", "missing", "future", "past", "unreadable", "unknown"};

	return names[state];
}
