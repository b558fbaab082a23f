/* A segment: an append-only file of records, and beside it a file of marks. A mark says that a
 * target (struct spool_target) of a record is done.
 *
 *     00000000000000000001.mail   records (local/spool/spool-record.h), and zeros behind them
 *     00000000000000000001.done   id of the machine's boot (48 bytes), then 16 bytes per mark:
 *                                 u64 offset of the record, u32 target, u32 check
 *
 * A large message has a separate segment, which is written while the message is received; the head
 * of the record is written last.
 *
 * Marks are not synced and are valid for one boot of the machine only. The copies in the mail store
 * are not synced either, so after a power failure every event of a remaining segment is sent again
 * and its message is put into the store again. Functions accept an event twice.
 */
#ifndef RUNNER_SPOOL_SEGMENT_H
#define RUNNER_SPOOL_SEGMENT_H

#include <stdint.h>
#include <sys/uio.h>

#include "local/spool/spool-record.h"

struct spool_segment {
	uint64_t number;
	int folder;         /* descriptor of the spool's folder, borrowed */
	int fd;             /* descriptor of the mail file; -1 before it is created */
	int done_fd;        /* descriptor of the marks file; -1 before the first mark */
	uint64_t bytes;     /* offset behind the segment's last record */
	uint64_t room;      /* offset up to which records fit without making the file longer */
	uint64_t pending;   /* number of targets that are not done */
	int64_t made_at_ms; /* time at which the segment was made, monotonic */
	bool closed;        /* the segment accepts no more records */
	bool worthless;     /* the segment has no record that was ever acknowledged */
	bool damaged;       /* the segment has octets that may have been an acknowledged record */
	struct spool_segment *next;
};

/* Makes a segment; its file is created by the first write. NULL when out of memory.
 * spool_segment_free() closes the descriptors; the files stay. */
struct spool_segment *spool_segment_new(int folder, uint64_t number);
void spool_segment_free(struct spool_segment *segment);

/* Appends the parts, whose first octets are the head of a record, and makes them durable; creates
 * the file (and syncs the folder) if necessary. The head is written last, so that octets left by a
 * process that was killed meanwhile are not read as a record. Returns 0 or errno; after an error
 * the file is cut back to its records if that is possible, and the caller must close the segment.
 * Changes only fd and room, so that it may run in a thread; the caller updates bytes. */
int spool_segment_append(struct spool_segment *segment, struct iovec *parts, int part_count);

/* Writes a part at the offset, creating the file if necessary; returns 0 or errno. The octets
 * become a record when their head, which is written last, is synced. */
int spool_segment_write(struct spool_segment *segment, uint64_t offset, const struct iovec *part);
int spool_segment_sync(const struct spool_segment *segment);

/* Opens a file that this process did not write. Calls found() for the targets of all sound records,
 * except those targets that are marked as done. Skips data that is not a sound record: adds the
 * number of its bytes to *lost, and sets damaged unless the data is a record that was never
 * completed. False, with no target reported, when the file cannot be opened or synced. */
typedef void (*spool_found)(void *arg, const struct spool_segment *segment, uint64_t offset,
	uint32_t length, uint32_t target, const struct spool_mail *mail);
bool spool_segment_replay(
	struct spool_segment *segment, spool_found found, void *arg, uint64_t *lost);

bool spool_segment_read(
	const struct spool_segment *segment, uint64_t offset, char *bytes, size_t length);

void spool_segment_mark(struct spool_segment *segment, uint64_t offset, uint32_t target);
void spool_segment_delete(struct spool_segment *segment);

/* Gives the file with the records a second name, "NUMBER-INODE.mail", in the folder with this
 * descriptor; no other file gets that name while this file exists. Returns 0 or errno: EEXIST when
 * the file has this name already. */
int spool_segment_link(const struct spool_segment *segment, int folder);

/* Reads the number in "00000000000000000001.mail"; false for other names. */
bool spool_segment_number(const char *name, uint64_t *number);

#endif
