#include "local/spool/spool-segment.h"
#include "local/spool/spool-octets.h"
#include "runtime/time.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "local/spool/spool-boot.h"

enum {
	NAME_MAX_BYTES = 32,
	NUMBER_DIGITS = 20,
	FILE_MODE = 0600,
	MARKS_MAX = 4 * 1024 * 1024,   /* a file with more marks is not read */
	AHEAD_FROM_BYTES = 64 * 1024,  /* a file with fewer octets gets no zeros */
	AHEAD_MAX_BYTES = 1024 * 1024, /* maximum number of zeros that are written at a time */
};

struct mark {
	uint64_t offset;
	uint32_t target;
	uint32_t check;
};

static uint32_t mark_check(uint64_t offset, uint32_t target)
{
	return (uint32_t)((offset + 1) * 2654435761U) ^ (uint32_t)(offset >> 32) ^ ~target;
}

static void file_name(const struct spool_segment *segment, const char *ending, char *name)
{
	snprintf(name, NAME_MAX_BYTES, "%0*" PRIu64 "%s", NUMBER_DIGITS, segment->number, ending);
}

bool spool_segment_number(const char *name, uint64_t *number)
{
	if (strlen(name) != NUMBER_DIGITS + strlen(".mail") ||
		strspn(name, "0123456789") != NUMBER_DIGITS ||
		strcmp(name + NUMBER_DIGITS, ".mail") != 0)
		return false;
	*number = strtoull(name, NULL, 10);
	return true;
}

struct spool_segment *spool_segment_new(int folder, uint64_t number)
{
	struct spool_segment *segment = calloc(1, sizeof *segment);

	if (segment == NULL)
		return NULL;
	segment->number = number;
	segment->folder = folder;
	segment->fd = segment->done_fd = -1;
	segment->made_at_ms = rt_monotonic_ms();
	return segment;
}

void spool_segment_free(struct spool_segment *segment)
{
	if (segment->fd >= 0)
		close(segment->fd);
	if (segment->done_fd >= 0)
		close(segment->done_fd);
	free(segment);
}

void spool_segment_delete(struct spool_segment *segment)
{
	char name[NAME_MAX_BYTES];

	/* The file with the mail is deleted first: marks without mail are harmless, but mail
	 * without marks would be sent again. */
	file_name(segment, ".mail", name);
	unlinkat(segment->folder, name, 0);
	file_name(segment, ".done", name);
	unlinkat(segment->folder, name, 0);
}

/* Names the file by number and inode: numbers begin again when the spool is empty, so the number
 * alone could be that of another file. */
int spool_segment_link(const struct spool_segment *segment, int folder)
{
	char name[NAME_MAX_BYTES];
	char second[2 * NAME_MAX_BYTES];
	struct stat info;

	file_name(segment, ".mail", name);
	if (fstatat(segment->folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return errno;
	snprintf(second, sizeof second, "%0*" PRIu64 "-%ju.mail", NUMBER_DIGITS, segment->number,
		(uintmax_t)info.st_ino);
	if (linkat(segment->folder, name, folder, second, 0) != 0)
		return errno;
	/* The time for which the file is kept begins now, not when the file was written. */
	return utimensat(folder, second, NULL, 0) == 0 ? 0 : errno;
}

static int make_file(struct spool_segment *segment)
{
	char name[NAME_MAX_BYTES];

	/* An earlier segment of this number may have been deleted only in part and left its
	 * marks. */
	file_name(segment, ".done", name);
	unlinkat(segment->folder, name, 0);
	file_name(segment, ".mail", name);
	segment->fd = openat(
		segment->folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	if (segment->fd < 0 || fsync(segment->folder) != 0)
		return errno;
	return 0;
}

int spool_segment_write(struct spool_segment *segment, uint64_t offset, const struct iovec *part)
{
	int error = segment->fd < 0 ? make_file(segment) : 0;
	struct iovec left = *part;

	return error == 0 ? spool_octets_write(segment->fd, offset, &left, 1) : error;
}

int spool_segment_sync(const struct spool_segment *segment)
{
	return fdatasync(segment->fd) == 0 ? 0 : errno;
}

/* Adds zeros to the file when the octets that are being appended, which end at `end`, use up the
 * zeros that the file has. A sync that changes neither the size nor the blocks of the file needs no
 * transaction of the file system, and takes a fifth less processor time. A file with little mail is
 * not made longer, and no file is more than doubled. Mail is accepted even if the disk has no room
 * for zeros. */
static void write_ahead(struct spool_segment *segment, uint64_t end)
{
	uint64_t ahead = end < AHEAD_MAX_BYTES ? end : AHEAD_MAX_BYTES;

	if (end <= segment->room || end < AHEAD_FROM_BYTES)
		return;
	segment->room = end;
	if (spool_octets_write_zeros(segment->fd, end, ahead) == 0)
		segment->room += ahead;
}

int spool_segment_append(struct spool_segment *segment, struct iovec *parts, int part_count)
{
	struct iovec first = {parts[0].iov_base, SPOOL_RECORD_HEAD_BYTES};
	uint64_t end = segment->bytes + spool_octets_count(parts, part_count);
	int error = segment->fd < 0 ? make_file(segment) : 0;

	spool_octets_skip(&parts, &part_count, first.iov_len);
	if (error == 0)
		error = spool_octets_write(
			segment->fd, segment->bytes + first.iov_len, parts, part_count);
	if (error == 0)
		error = spool_octets_write(segment->fd, segment->bytes, &first, 1);
	if (error == 0)
		write_ahead(segment, end);
	if (error == 0 && fdatasync(segment->fd) != 0)
		error = errno;
	if (error != 0 && segment->fd >= 0 && ftruncate(segment->fd, (off_t)segment->bytes) == 0)
		fdatasync(segment->fd);
	return error;
}

bool spool_segment_read(
	const struct spool_segment *segment, uint64_t offset, char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t got = pread(segment->fd, bytes, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes += got;
		length -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

/* True if the marks file begins with the id of this boot. False also when the id of this boot is
 * unknown. */
static bool is_of_this_boot(int fd)
{
	char written[SPOOL_BOOT_BYTES];
	char now[SPOOL_BOOT_BYTES];

	return spool_boot(SPOOL_BOOT_FILE, now) &&
		read(fd, written, sizeof written) == (ssize_t)sizeof written &&
		memcmp(written, now, sizeof now) == 0;
}

/* Opens the marks file, which begins with the id of this boot. Deletes marks of an earlier boot.
 * Code that only reads marks must not delete them: `runner spool list` reads the marks of a running
 * service, which needs them. */
static int open_marks(const struct spool_segment *segment)
{
	char name[NAME_MAX_BYTES];
	char boot[SPOOL_BOOT_BYTES];
	int fd;

	file_name(segment, ".done", name);
	fd = openat(segment->folder, name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, FILE_MODE);
	if (fd < 0 || is_of_this_boot(fd))
		return fd;
	spool_boot(SPOOL_BOOT_FILE, boot);
	if (ftruncate(fd, 0) == 0 && write(fd, boot, sizeof boot) == (ssize_t)sizeof boot)
		return fd;
	unlinkat(segment->folder, name, 0);
	close(fd);
	return -1;
}

void spool_segment_mark(struct spool_segment *segment, uint64_t offset, uint32_t target)
{
	struct mark mark = {offset, target, mark_check(offset, target)};

	segment->pending--;
	if (segment->done_fd < 0)
		segment->done_fd = open_marks(segment);
	/* A failed write is ignored: without its mark the event is sent once more after a restart,
	 * which functions accept. */
	if (segment->done_fd >= 0 && write(segment->done_fd, &mark, sizeof mark) < 0)
		return;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *left = a;
	const struct mark *right = b;

	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	if (left->target != right->target)
		return left->target < right->target ? -1 : 1;
	return 0;
}

static struct mark *read_all_marks(int fd, size_t *count)
{
	struct stat info;
	struct mark *marks = NULL;

	if (fstat(fd, &info) == 0 && info.st_size < (off_t)(MARKS_MAX * sizeof *marks))
		marks = calloc((size_t)info.st_size / sizeof *marks + 1, sizeof *marks);
	while (marks != NULL && *count < (size_t)info.st_size / sizeof *marks &&
		read(fd, &marks[*count], sizeof *marks) == (ssize_t)sizeof *marks)
		if (marks[*count].check == mark_check(marks[*count].offset, marks[*count].target))
			(*count)++;
	if (marks != NULL)
		qsort(marks, *count, sizeof *marks, compare_marks);
	return marks;
}

static struct mark *read_marks(const struct spool_segment *segment, size_t *count)
{
	struct mark *marks = NULL;
	char name[NAME_MAX_BYTES];
	int fd;

	*count = 0;
	file_name(segment, ".done", name);
	fd = openat(segment->folder, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (is_of_this_boot(fd))
		marks = read_all_marks(fd, count);
	close(fd);
	return marks;
}

struct replay {
	struct spool_segment *segment;
	struct rt_ctx ctx; /* memory of the record that is being read */
	uint64_t file_bytes;
	struct mark *marks;
	size_t mark_count;
	spool_found found;
	void *arg;
};

static bool is_done(const struct replay *replay, uint64_t offset, uint32_t target)
{
	struct mark mark = {.offset = offset, .target = target};

	return replay->marks != NULL &&
		bsearch(&mark, replay->marks, replay->mark_count, sizeof mark, compare_marks) !=
		NULL;
}

static void report(
	struct replay *replay, const struct spool_mail *mail, uint64_t offset, size_t length)
{
	for (uint32_t i = 0; i < mail->target_count; i++) {
		if (is_done(replay, offset, i))
			continue;
		replay->segment->pending++;
		replay->found(replay->arg, replay->segment, offset, (uint32_t)length, i, mail);
	}
}

/* The size of the record at the offset; 0 when there is no head or the file ends within the record.
 */
static size_t record_size(const struct replay *replay, uint64_t offset)
{
	char head[SPOOL_RECORD_HEAD_BYTES];
	size_t length;

	if (!spool_segment_read(replay->segment, offset, head, sizeof head))
		return 0;
	length = spool_record_bytes(head);
	return offset + length <= replay->file_bytes ? length : 0;
}

static void note_damage(struct replay *replay, uint64_t length, uint64_t *lost)
{
	*lost += length;
	replay->segment->damaged = true;
}

/* True if the octets that follow the last record may have been a record. The head is written last,
 * so a message that was still being received or written has zeros in place of its head, and its
 * sender got no acknowledgment. Other octets may be a record that was damaged after it was
 * acknowledged.
 *
 * Records behind these octets are not searched for: a message may contain the octets of a record
 * that names another client. */
static bool had_head(const struct replay *replay, uint64_t offset)
{
	char head[SPOOL_RECORD_HEAD_BYTES] = {0};
	static const char zeros[SPOOL_RECORD_HEAD_BYTES];
	uint64_t left = replay->file_bytes - offset;
	size_t length = left < sizeof head ? (size_t)left : sizeof head;

	return !spool_segment_read(replay->segment, offset, head, length) ||
		memcmp(head, zeros, length) != 0;
}

/* Reads one record. If it is not sound but its size is known, it is skipped. False when no record
 * of known size is left. */
static bool replay_record(struct replay *replay, uint64_t *offset, uint64_t *lost)
{
	size_t length = record_size(replay, *offset);
	struct spool_mail mail;
	char *record;

	if (length == 0)
		return false;
	record = rt_alloc(&replay->ctx, length);
	if (spool_segment_read(replay->segment, *offset, record, length) &&
		spool_record_parse(&replay->ctx, record, length, &mail))
		report(replay, &mail, *offset, length);
	else
		note_damage(replay, length, lost);
	rt_arena_reset(replay->ctx.arena);
	*offset += length;
	return true;
}

bool spool_segment_replay(
	struct spool_segment *segment, spool_found found, void *arg, uint64_t *lost)
{
	struct replay replay = {.segment = segment, .found = found, .arg = arg};
	char name[NAME_MAX_BYTES];
	struct stat info;
	uint64_t offset = 0;

	segment->closed = true;
	file_name(segment, ".mail", name);
	segment->fd = openat(segment->folder, name, O_RDWR | O_CLOEXEC);
	/* A runner that was killed may have written records without syncing them. They are synced
	 * before their events are sent, so that a power failure cannot lose a message whose event
	 * was sent. */
	if (segment->fd < 0 || fdatasync(segment->fd) != 0 || fstat(segment->fd, &info) != 0)
		return false;
	replay.file_bytes = (uint64_t)info.st_size;
	replay.ctx.arena = rt_arena_new();
	replay.marks = read_marks(segment, &replay.mark_count);
	while (replay_record(&replay, &offset, lost))
		continue;
	segment->damaged = segment->damaged || had_head(&replay, offset);
	*lost += spool_octets_end(segment->fd, offset, replay.file_bytes) - offset;
	segment->bytes = offset;
	free(replay.marks);
	rt_arena_free(replay.ctx.arena);
	return true;
}
