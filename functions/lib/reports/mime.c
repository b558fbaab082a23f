#include "functions/lib/reports/mime.h"
#include "functions/lib/reports/container.h"
#include "functions/lib/reports/mails.h"

#include <gmime/gmime.h>

#include "functions/lib/reports/mime-scan.h"

/* The decoded content of a part. */
struct part_source {
	struct eds_source source; /* must be the first member: its address is used as that of the
				   * part */
	GMimeStream *stream;
	char block[EDS_SOURCE_BLOCK];
};

void eds_mime_init(void)
{
	g_mime_init();
}

static size_t pull_part(struct eds_source *source, const char **block)
{
	struct part_source *part = (struct part_source *)source;
	size_t length = 0;

	while (length < sizeof part->block) {
		ssize_t got = g_mime_stream_read(
			part->stream, part->block + length, sizeof part->block - length);

		if (got <= 0)
			break;
		length += (size_t)got;
	}
	*block = part->block;
	return length;
}

static GMimeStream *decoded(GMimeDataWrapper *content)
{
	GMimeStream *stream = g_mime_stream_filter_new(g_mime_data_wrapper_get_stream(content));
	GMimeFilter *decoder = g_mime_filter_basic_new(
		g_mime_data_wrapper_get_encoding(content), FALSE);

	g_mime_stream_reset(g_mime_data_wrapper_get_stream(content));
	g_mime_stream_filter_add(GMIME_STREAM_FILTER(stream), decoder);
	g_object_unref(decoder);
	return stream;
}

static void read_part(struct eds_intake *intake, GMimePart *mime_part, unsigned level)
{
	GMimeDataWrapper *content = g_mime_part_get_content(mime_part);
	const char *file = g_mime_part_get_filename(mime_part);
	struct rt_arena *arena;
	struct part_source *part;

	if (content == NULL)
		return;
	arena = rt_arena_new();
	part = rt_arena_alloc_raw(arena, sizeof *part); /* not cleared, so that the block's memory
							 * is touched only when it is used */
	part->source = (struct eds_source){.pull = pull_part};
	part->stream = decoded(content);
	file = file == NULL ? "" : file;
	if (eds_mails_are_in(intake, &part->source, level))
		eds_mails_read_member(intake, &part->source, file, level + 1);
	else
		eds_intake_container(intake, &part->source, file, level);
	g_object_unref(part->stream);
	rt_arena_free(arena);
}

static bool is_a(GMimeObject *object, GType type)
{
	return g_type_check_instance_is_a((GTypeInstance *)object, type);
}

/* Reads the parts depth first; mime-scan.h has limited the depth. An object that is no message and
 * has no parts is a part itself. */
static void read_object(struct eds_intake *intake, GMimeObject *object, unsigned level)
{
	if (object == NULL || !eds_intake_goes_on(intake))
		return;
	if (is_a(object, GMIME_TYPE_MESSAGE_PART)) {
		GMimeMessage *message = g_mime_message_part_get_message(GMIME_MESSAGE_PART(object));

		if (message != NULL)
			read_object(intake, g_mime_message_get_mime_part(message), level);
	} else if (is_a(object, GMIME_TYPE_MULTIPART)) {
		GMimeMultipart *multipart = GMIME_MULTIPART(object);

		for (int i = 0; i < g_mime_multipart_get_count(multipart); i++)
			read_object(intake, g_mime_multipart_get_part(multipart, i), level);
	} else {
		read_part(intake, GMIME_PART(object), level);
	}
}

/* Lends the mail's octets to GMime without a copy: GMime only reads them, and does not free
 * them. */
static GMimeStream *lend(const char *mail, size_t length, GByteArray **array)
{
	GMimeStream *stream = g_mime_stream_mem_new();

	*array = g_byte_array_new_take((guint8 *)(uintptr_t)mail, length);
	g_mime_stream_mem_set_byte_array(GMIME_STREAM_MEM(stream), *array);
	return stream;
}

/* True when the mail is within the limits of a mail and, in an uploaded file, all mails so far are
 * together within the limits of a file. */
static bool may_be_read(struct eds_intake *intake, const char *mail, size_t length)
{
	const struct eds_mime_cost *cost = &intake->mails;

	if (!eds_mime_scan(mail, length, &intake->mails)) {
		eds_intake_pass_over(intake, EDS_FAULT_MAIL_LIMITS, NULL, "");
		return false;
	}
	if (!intake->of_file ||
		(cost->parts <= EDS_FILE_PARTS_MAX && cost->fields <= EDS_FILE_FIELDS_MAX &&
			cost->header_octets <= EDS_FILE_HEADERS_MAX))
		return true;
	eds_intake_pass_over(intake, EDS_FAULT_MAIL_LIMITS,
		"The mails of the file together have more parts or headers than this service "
		"reads; the remaining mails were not read.",
		"");
	intake->spent = true;
	return false;
}

void eds_mime_read(struct eds_intake *intake, const char *mail, size_t length, unsigned level)
{
	GMimeStream *stream;
	GMimeParser *parser;
	GMimeMessage *message;
	GByteArray *array;

	if (!may_be_read(intake, mail, length))
		return;
	stream = lend(mail, length, &array);
	parser = g_mime_parser_new_with_stream(stream);
	message = g_mime_parser_construct_message(parser, NULL);
	g_object_unref(parser);
	if (message != NULL) {
		read_object(intake, g_mime_message_get_mime_part(message), level);
		g_object_unref(message);
	}
	g_object_unref(stream);
	g_byte_array_free(array, FALSE);
}
