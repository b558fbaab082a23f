#include "functions/lib/reports/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

enum {
	GATHERED_BYTES = 4096, /* maximum number of octets of a gathered block; two consecutive
				* gathered blocks together have more */
};

struct eds_archive {
	struct eds_source content; /* must be the first member: pull_content() uses its address as
				    * that of the archive */
	struct rt_arena *arena;    /* memory of this archive only */
	struct eds_intake *intake;
	struct eds_source *below;
	struct archive *reader;
	uint64_t taken; /* octets read from the container */
	uint64_t given; /* octets of content that were expanded from the container */
	enum eds_report_fault fault;
	bool one_member; /* true for a gzip, which has only one member */
	bool copies;     /* true for a tar, which does not expand: the octets of a tar in a gzip
			  * were counted when the gzip was expanded */
	bool handed_out;
	bool failed;      /* a read failed, so no further block can be read */
	const void *late; /* a block that was read but did not fit after the gathered octets; NULL
			   * if none */
	size_t late_length;
	char gathered[GATHERED_BYTES];
};

static la_ssize_t feed(struct archive *reader, void *arg, const void **block)
{
	struct eds_archive *archive = arg;
	const char *bytes = NULL;
	size_t length = eds_source_read(archive->below, &bytes);

	if (archive->below->fault != EDS_FAULT_NONE) {
		archive_set_error(reader, EIO, "the container around it is damaged");
		return ARCHIVE_FATAL;
	}
	archive->taken += length;
	*block = bytes;
	return (la_ssize_t)length;
}

static enum eds_report_fault limit_passed(const struct eds_archive *archive)
{
	if (archive->intake->expanded > EDS_REPORT_BYTES_MAX)
		return EDS_FAULT_TOO_LARGE;
	if (archive->given > EDS_REPORT_RATIO_FREE &&
		archive->given / EDS_REPORT_RATIO_MAX > archive->taken)
		return EDS_FAULT_BOMB;
	return EDS_FAULT_NONE;
}

static size_t fail(struct eds_archive *archive, enum eds_report_fault fault)
{
	archive->fault = archive->content.fault = fault;
	return 0;
}

/* The fault to report when reading fails: the fault of the source around the archive, or else that
 * the archive is damaged. */
static enum eds_report_fault damage(const struct eds_archive *archive)
{
	return archive->below->fault != EDS_FAULT_NONE ? archive->below->fault
						       : EDS_FAULT_ARCHIVE_DAMAGED;
}

/* The next octets, in libarchive's own memory; none at the end. False when they cannot be read. */
static bool next_block(struct eds_archive *archive, const void **bytes, size_t *length)
{
	la_int64_t offset;
	int status;

	do
		status = archive_read_data_block(archive->reader, bytes, length, &offset);
	while (status == ARCHIVE_OK && *length == 0);
	if (status == ARCHIVE_EOF)
		*length = 0;
	return status == ARCHIVE_OK || status == ARCHIVE_EOF;
}

static bool late_or_next(struct eds_archive *archive, const void **bytes, size_t *length)
{
	*bytes = archive->late;
	*length = archive->late_length;
	archive->late_length = 0;
	if (*length == 0 && !archive->failed)
		archive->failed = !next_block(archive, bytes, length);
	return !archive->failed;
}

/* Gathers tiny blocks into larger ones. A sparse file in a tar can have any number of tiny blocks,
 * and for each block the parser examines all octets of an unfinished token again. */
static bool gather(struct eds_archive *archive, const void **bytes, size_t *length)
{
	size_t gathered = 0;

	while (late_or_next(archive, bytes, length) && *length > 0) {
		if (*length > GATHERED_BYTES - gathered) {
			if (gathered == 0)
				return true;
			archive->late = *bytes;
			archive->late_length = *length;
			break;
		}
		memcpy(archive->gathered + gathered, *bytes, *length);
		gathered += *length;
	}
	*bytes = archive->gathered;
	*length = gathered;
	return gathered > 0 || !archive->failed;
}

static size_t pull_content(struct eds_source *source, const char **block)
{
	struct eds_archive *archive = (struct eds_archive *)source;
	const void *bytes = NULL;
	size_t length = 0;

	if (archive->fault != EDS_FAULT_NONE)
		return 0;
	if (!gather(archive, &bytes, &length))
		return fail(archive, damage(archive));
	archive->given += length;
	if (!archive->copies)
		archive->intake->expanded += length;
	if (limit_passed(archive) != EDS_FAULT_NONE) {
		archive->intake->spent = true;
		return fail(archive, limit_passed(archive));
	}
	*block = bytes;
	return length;
}

/* A gzip is one filter around one file. Only the detected format is enabled, so that hostile octets
 * never reach libarchive's other readers. */
static int choose_format(struct archive *reader, enum eds_container kind)
{
	if (kind == EDS_CONTAINER_ZIP)
		return archive_read_support_format_zip_streamable(reader);
	if (kind == EDS_CONTAINER_TAR)
		return archive_read_support_format_tar(reader);
	if (archive_read_append_filter(reader, ARCHIVE_FILTER_GZIP) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	return archive_read_support_format_raw(reader);
}

struct eds_archive *eds_archive_open(
	struct eds_intake *intake, struct eds_source *source, enum eds_container kind)
{
	struct rt_ctx ctx = {.arena = rt_arena_new()};
	struct eds_archive *archive = rt_alloc(&ctx, sizeof *archive);

	archive->arena = ctx.arena;
	archive->intake = intake;
	archive->below = source;
	archive->one_member = kind == EDS_CONTAINER_GZIP;
	archive->copies = kind == EDS_CONTAINER_TAR;
	archive->content.pull = pull_content;
	archive->reader = archive_read_new();
	if (archive->reader == NULL || choose_format(archive->reader, kind) != ARCHIVE_OK ||
		archive_read_open(archive->reader, archive, NULL, feed, NULL) != ARCHIVE_OK)
		archive->fault = EDS_FAULT_ARCHIVE_DAMAGED;
	return archive;
}

/* Reads the header of the next file; false at the end or at a fault. */
static bool next_file(struct eds_archive *archive, struct archive_entry **entry)
{
	int status = archive_read_next_header(archive->reader, entry);

	if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
		return true;
	if (status != ARCHIVE_EOF)
		archive->fault = damage(archive);
	return false;
}

static bool count_member(struct eds_archive *archive)
{
	if (eds_intake_member(archive->intake))
		return true;
	archive->fault = EDS_FAULT_ARCHIVE_MEMBERS;
	return false;
}

/* The name of a member. "" also for a name that is marked as UTF-8 and is not ASCII: libarchive
 * does not give such a name, because it cannot convert the name to the locale of this process. */
static const char *member_name(struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);

	return name == NULL ? "" : name;
}

struct eds_source *eds_archive_member(struct eds_archive *archive, const char **name)
{
	struct archive_entry *entry;

	if (archive->fault != EDS_FAULT_NONE || (archive->one_member && archive->handed_out) ||
		!next_file(archive, &entry) || (!archive->one_member && !count_member(archive)))
		return NULL;
	*name = archive->one_member ? "" : member_name(entry);
	archive->handed_out = true;
	archive->content.held_length = archive->late_length = 0;
	archive->failed = false;
	return &archive->content;
}

enum eds_report_fault eds_archive_fault(const struct eds_archive *archive)
{
	return archive->fault;
}

void eds_archive_close(struct eds_archive *archive)
{
	archive_read_free(archive->reader);
	rt_arena_free(archive->arena);
}
