/* The thread that writes and syncs the spool, one batch at a time. */
#ifndef RUNNER_SPOOL_WRITER_H
#define RUNNER_SPOOL_WRITER_H

#include <event2/event.h>

#include "local/spool/spool-segment.h"

struct spool_writer;

/* Starts the thread; NULL when it cannot be started. finished() is called in the loop's thread for
 * each batch, with 0 or errno. */
struct spool_writer *spool_writer_new(
	struct event_base *base, void (*finished)(void *arg, int error), void *arg);

/* Appends the parts to the segment (spool_segment_append); the thread owns the segment and the
 * parts until finished() is called. Allowed only when the writer is not busy. */
void spool_writer_write(struct spool_writer *writer, struct spool_segment *segment,
	struct iovec *parts, int part_count);
bool spool_writer_busy(const struct spool_writer *writer);

/* Waits until the current batch is written, calls finished() for it, and stops the thread. */
void spool_writer_free(struct spool_writer *writer);

#endif
