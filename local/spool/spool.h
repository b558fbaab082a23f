/* The spool keeps acknowledged mail that is not yet delivered, in append-only segments.
 *
 * A thread writes and syncs. Mail that arrives during one sync is written together and shares the
 * next sync, so each message costs only a part of a sync. A large message is written by another
 * thread, into a segment of its own (spool-stream.h). The event loop never waits for a sync. A
 * segment accepts records for SPOOL_SEGMENT_SECONDS or up to SPOOL_SEGMENT_BYTES, and is deleted
 * when all its targets are done.
 */
#ifndef RUNNER_SPOOL_H
#define RUNNER_SPOOL_H

#include <event2/event.h>

#include "local/spool/spool-folder.h"
#include "local/spool/spool-record.h"

enum {
	SPOOL_SEGMENT_BYTES = 64 * 1024 * 1024,
	SPOOL_SEGMENT_SECONDS = 60,
	SPOOL_BATCH_MAX = 4096, /* maximum number of records that are written together */
	SPOOL_ERROR_MAX = 512,
};

struct spool;

/* The place of a record in the spool, and the index of one target of its message (struct
 * spool_target). */
struct spool_place {
	uint64_t segment;
	uint64_t offset;
	uint32_t length;
	uint32_t target;
};

/* Opens the spool: creates the folder if necessary and locks it. NULL, with a sentence in error, on
 * failure. */
struct spool *spool_open(struct event_base *base, const char *folder, char error[SPOOL_ERROR_MAX]);

/* Called by spool_replay() for every target that an earlier run left in the spool. spool_replay()
 * must be called once, before mail is added. It returns the number of bytes that were skipped
 * because they are not sound records (mail that was never acknowledged, or a damaged disk). */
typedef void (*spool_left)(
	void *arg, const struct spool_place *place, const struct spool_mail *mail);

/* Called once for each mail that is given to spool_append(). place is the place of target 0; if the
 * mail could not be made durable, place is NULL and error is an errno. The call comes after
 * spool_append() returns, except when out of memory, or when the mail exceeds a maximum
 * (spool-record.h). mail->message must stay valid until this call; spool_append() copies the rest
 * of mail. */
typedef void (*spool_stored)(void *arg, const struct spool_place *place, int error);
void spool_append(
	struct spool *spool, const struct spool_mail *mail, spool_stored stored, void *arg);

/* Reads a record from the spool into ctx's memory. Fails with RT_INTERNAL "spool-damaged" when the
 * record is not sound, and with RT_TEMPORARY "spool-failed" when the file cannot be read. */
RT_MUST_USE rt_status spool_read(struct rt_ctx *ctx, struct spool *spool,
	const struct spool_place *place, struct spool_mail *mail);

/* To be called once for each target, when it no longer needs the record. */
void spool_done(struct spool *spool, const struct spool_place *place);

/* True if mail that was given to spool_append() is being written or waits to be written.
 * spool_on_batch() sets a function that is called after each batch of records was written. */
bool spool_is_busy(const struct spool *spool);
void spool_on_batch(struct spool *spool, void (*batch)(void *arg), void *arg);

/* The octets in all segments. */
uint64_t spool_bytes(const struct spool *spool);

/* The descriptor of the spool's folder. */
int spool_descriptor(const struct spool *spool);

/* Closes the spool: waits for the current sync, calls stored() for all appended records, and
 * deletes segments whose targets are all done. The other segments stay for the next start. */
void spool_close(struct spool *spool);

#endif
