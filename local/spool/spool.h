/* The spool keeps acknowledged mail that is not yet delivered, in append-only segments.
 *
 * A thread writes and syncs; all mail that arrives during one sync is written and synced together
 * by the next. So a message costs a fraction of a sync, and the event loop never waits for the
 * disk. A segment accepts records for SPOOL_SEGMENT_SECONDS or up to SPOOL_SEGMENT_BYTES, and is
 * deleted when all its targets are done.
 */
#ifndef RUNNER_SPOOL_H
#define RUNNER_SPOOL_H

#include <event2/event.h>

#include "local/spool/spool-folder.h"
#include "local/spool/spool-record.h"

enum {
	SPOOL_SEGMENT_BYTES = 64 * 1024 * 1024,
	SPOOL_SEGMENT_SECONDS = 60,
	SPOOL_BATCH_MAX = 4096, /* records written together */
	SPOOL_ERROR_MAX = 512,
};

struct spool;

/* The place of a record, and one of its targets. */
struct spool_place {
	uint64_t segment;
	uint64_t offset;
	uint32_t length;
	uint32_t target;
};

/* Creates the folder if necessary and locks it. NULL with a sentence in error. */
struct spool *spool_open(struct event_base *base, const char *folder, char error[SPOOL_ERROR_MAX]);

/* Calls found for every target that an earlier run left; call it once, first. spool_replay()
 * returns the number of bytes skipped because they are not sound records (mail that was never
 * acknowledged, or a damaged disk). */
typedef void (*spool_left)(
	void *arg, const struct spool_place *place, const struct spool_mail *mail);

/* Keeps the mail and calls stored once: with the place of target 0, or with NULL and errno when the
 * mail could not be made durable. The call comes after spool_append() returns, except when there is
 * no memory. mail->message must stay valid until then; the rest is copied. */
typedef void (*spool_stored)(void *arg, const struct spool_place *place, int error);
void spool_append(
	struct spool *spool, const struct spool_mail *mail, spool_stored stored, void *arg);

/* Reads a record back into the event's memory. RT_INTERNAL "spool-damaged", RT_TEMPORARY
 * "spool-failed". */
RT_MUST_USE rt_status spool_read(struct rt_ctx *ctx, struct spool *spool,
	const struct spool_place *place, struct spool_mail *mail);

/* Reports that the target no longer needs the record; call it once per target. */
void spool_done(struct spool *spool, const struct spool_place *place);

/* Whether mail is being written or waits to be written. spool_on_batch(): batch is called after
 * each batch. */
bool spool_is_busy(const struct spool *spool);
void spool_on_batch(struct spool *spool, void (*batch)(void *arg), void *arg);

/* Octets in all segments. */
uint64_t spool_bytes(const struct spool *spool);

/* Descriptor of the folder. */
int spool_descriptor(const struct spool *spool);

/* Waits for the current sync and reports the appended records. Deletes segments whose targets are
 * all done; the others stay for the next start. */
void spool_close(struct spool *spool);

#endif
