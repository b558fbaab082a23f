#include "functions/lib/mail/form.h"

#include <string.h>
#include <strings.h>

#include "runtime/buffer.h"
#include "runtime/text/utf8.h"

enum {
	NAMES_TEXT_MAX = EDS_FORM_NAMES_MAX * (EDS_FORM_NAME_BYTES_MAX + 2) + 1,
};

/* Fields that may appear only once, by the table of RFC 5322 section 3.6. */
static const char *const once[] = {"From", "To", "Cc", "Bcc", "Subject", "Date", "Message-ID",
	"Reply-To", "Sender", "In-Reply-To", "References"};

/* Fields that may appear only once, by RFC 2045 section 3 and RFC 8058 section 3.1. */
static const char *const once_elsewhere[] = {
	"MIME-Version", "Content-Type", "List-Unsubscribe", "List-Unsubscribe-Post"};

static void add_name(struct eds_form_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcasecmp(names->items[i], name) == 0)
			return;
	if (names->count < EDS_FORM_NAMES_MAX)
		names->items[names->count++] = name;
}

static void find_doubled(const struct eds_header *header, const char *const *fields, size_t count,
	struct eds_form_names *doubled)
{
	for (size_t i = 0; i < count; i++)
		if (eds_header_find(header, fields[i], 1) != NULL)
			add_name(doubled, fields[i]);
}

/* True when all octets over 127 form valid UTF-8 characters. */
static bool is_utf8(const char *text, size_t length)
{
	while (length > 0) {
		size_t used = (unsigned char)*text < 128 ? 1 : rt_utf8_length(text, length);

		if (used == 0)
			return false;
		text += used;
		length -= used;
	}
	return true;
}

static bool has_eight_bit(const struct eds_field *field)
{
	for (size_t i = 0; i < field->value_length; i++)
		if ((unsigned char)field->value[i] > 127)
			return true;
	return false;
}

static void find_eight_bit(
	struct rt_ctx *ctx, const struct eds_header *header, struct eds_form *form)
{
	form->eight_bit_utf8 = true;
	for (size_t i = 0; i < header->count; i++) {
		const struct eds_field *field = &header->fields[i];
		size_t length = field->name_length < EDS_FORM_NAME_BYTES_MAX
			? field->name_length
			: EDS_FORM_NAME_BYTES_MAX;

		if (!has_eight_bit(field))
			continue;
		add_name(&form->eight_bit, rt_memdup(ctx, field->name, length));
		form->eight_bit_utf8 &= is_utf8(field->value, field->value_length);
	}
}

static void measure_line(const char *line, size_t length, struct eds_form *form)
{
	if (length > form->longest_line)
		form->longest_line = length;
	form->long_lines += length > EDS_FORM_LINE_MAX;
	form->bare_cr |= memchr(line, '\r', length) != NULL;
}

/* Lines end with CRLF; a CR or LF anywhere else is a fault (section 2.3). */
static void read_lines(const char *message, size_t length, struct eds_form *form)
{
	const char *end = message + length;

	while (message < end) {
		const char *feed = memchr(message, '\n', (size_t)(end - message));
		const char *stop = feed != NULL ? feed : end;
		size_t size = (size_t)(stop - message);
		bool returned = feed != NULL && size > 0 && feed[-1] == '\r';

		form->bare_lf |= feed != NULL && !returned;
		measure_line(message, size - returned, form);
		message = feed != NULL ? feed + 1 : end;
	}
}

void eds_form_read(struct rt_ctx *ctx, const char *message, size_t length,
	const struct eds_header *header, struct eds_form *form)
{
	memset(form, 0, sizeof *form);
	find_doubled(header, once, sizeof once / sizeof *once, &form->doubled);
	find_doubled(header, once_elsewhere, sizeof once_elsewhere / sizeof *once_elsewhere,
		&form->doubled_other);
	find_eight_bit(ctx, header, form);
	read_lines(message, length, form);
	form->has_recipient = eds_header_count(header, "To") + eds_header_count(header, "Cc") +
			eds_header_count(header, "Bcc") >
		0;
	form->malformed = header->malformed;
	form->whole = header->limit[0] == '\0';
}

const char *eds_form_names_text(struct rt_ctx *ctx, const struct eds_form_names *names)
{
	struct rt_buffer text;

	rt_buffer_init(&text, ctx, NAMES_TEXT_MAX);
	for (size_t i = 0; i < names->count; i++)
		rt_buffer_format(&text, "%s%s", i > 0 ? ", " : "", names->items[i]);
	return text.bytes;
}
