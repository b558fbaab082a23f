/* A segment: a file of records, only ever appended to, and beside it the marks of what is done.
 *
 *     00000000000000000001.mail   records (local/spool/spool-record.h)
 *     00000000000000000001.done   the boot of the machine in 48 bytes, then 16 bytes each:
 *                                 u64 offset of the record, u32 target, u32 check
 *
 * A large message has a segment of its own, written as it comes in, its head last.
 *
 * Marks are not synced and hold for one boot of the machine: the copies in the mail store are not
 * synced either, so after a power failure every event of a segment that is still there is sent
 * again, and its message put there anew. Functions expect events that come twice.
 */
#ifndef RUNNER_SPOOL_SEGMENT_H
#define RUNNER_SPOOL_SEGMENT_H

#include <stdint.h>
#include <sys/uio.h>

#include "local/spool/spool-record.h"

struct spool_segment {
	uint64_t number;
	int folder;         /* descriptor, borrowed */
	int fd;             /* -1 before it is made */
	int done_fd;        /* -1 before the first mark */
	uint64_t bytes;     /* of sound records */
	uint64_t pending;   /* targets not done */
	int64_t made_at_ms; /* monotonic */
	bool closed;        /* takes no more records */
	bool worthless;     /* holds no record that anybody was told of */
	struct spool_segment *next;
};

/* Not made yet; NULL without memory. Free closes the descriptors and leaves the files. */
struct spool_segment *spool_segment_new(int folder, uint64_t number);
void spool_segment_free(struct spool_segment *segment);

/* Appends the parts and makes them durable, making the file (and syncing the folder) if it is not
 * there. 0 or errno; after an error nothing of the parts is left in the file as far as it can be
 * cut back, and the segment must be closed. Touches fd only, so that it may run in a thread: the
 * caller adds to bytes. */
int spool_segment_append(struct spool_segment *segment, struct iovec *parts, int part_count);

/* Writes a part at the offset, making the file if it is not there; 0 or errno. What is written
 * there is a record when its head is written, last, and synced. */
int spool_segment_write(struct spool_segment *segment, uint64_t offset, const struct iovec *part);
int spool_segment_sync(const struct spool_segment *segment);

/* Opens a file left by an earlier run and calls found for each target of a sound record that is not
 * marked done. What is not sound is passed over; *lost counts its bytes. */
typedef void (*spool_found)(void *arg, const struct spool_segment *segment, uint64_t offset,
	uint32_t length, uint32_t target, const struct spool_mail *mail);
bool spool_segment_replay(
	struct spool_segment *segment, spool_found found, void *arg, uint64_t *lost);

bool spool_segment_read(
	const struct spool_segment *segment, uint64_t offset, char *bytes, size_t length);

void spool_segment_mark(struct spool_segment *segment, uint64_t offset, uint32_t target);
void spool_segment_delete(struct spool_segment *segment);

/* "00000000000000000001.mail" to its number; false for other names. */
bool spool_segment_number(const char *name, uint64_t *number);

#endif
